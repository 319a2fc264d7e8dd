package memory

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestGroupLimits(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"memory.max": "max\n", "a/memory.max": "3000\n", "a/b/memory.max": "5000\n",
		"memory/memory.limit_in_bytes": "9000\n", "memory/job/memory.limit_in_bytes": "7000\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		reason, groups string
		want           []int64
	}{
		{"version 2 with the groups it is in", "0::/a/b\n", []int64{5000, 3000}},
		{"a group that the container does not see", "0::/elsewhere/x\n", nil},
		{"version 1", "11:cpu:/job\n9:memory:/job\n", []int64{7000, 9000}},
		{"version 1 with controllers together", "4:hugetlb,memory:/\n", []int64{9000}},
		{"nothing known", "nonsense\n", nil},
	} {
		if got := groupLimits(test.groups, root); !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.reason, got, test.want)
		}
	}
}

func TestAvailable(t *testing.T) {
	if n := Available(); n < 64<<20 {
		t.Errorf("%d bytes are available, which this test needs already", n)
	}
}
