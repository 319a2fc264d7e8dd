package dataset

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/parquet-go/parquet-go"

	"pommego/arena/ledger"
	"pommego/env"
)

// Extra is an array that a client's agents report with each action, such as the
// probabilities from which they drew it: one more column of layout Steps, null for the
// other seats and for those that are out. Arrays named visits and values are the
// statistics of a search, as built-in agents report them.
type Extra struct {
	Name  string    `json:"name"`
	DType env.DType `json:"dtype"`
	Shape []int     `json:"shape"` // empty: a single number
}

// The bounds of an extra array.
const (
	maxExtraDims  = 4
	maxExtraBytes = 1 << 20
)

var extraName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)

// column is the array's column, without its functions for writing and reading.
func (x *Extra) column() Column {
	c := Column{Name: x.Name, Type: FixedBytes, Null: true,
		Meaning: cmp.Or(meanings[x.Name], "reported by the agent; null: it reports nothing"), DType: x.DType, Shape: x.Shape}
	if len(x.Shape) == 0 {
		c.Type, c.DType, c.Shape = Type(x.DType), "", nil
	}
	return c
}

func (x *Extra) size() int { return (&Column{DType: x.DType, Shape: x.Shape}).Width() }

func (x *Extra) fits() bool {
	size := x.DType.Bytes()
	for _, n := range x.Shape {
		if n < 1 || n > maxExtraBytes/size {
			return false
		}
		size *= n
	}
	return len(x.Shape) <= maxExtraDims
}

func (x *Extra) check(choices int) error {
	want := map[string]env.DType{ledger.Visits: env.Int32, ledger.Values: env.Float64}[x.Name]
	switch {
	case !extraName.MatchString(x.Name):
		return fmt.Errorf("extra array %q: want 64 or fewer small letters, digits and underscores, "+
			"the first a letter", x.Name)
	case numbers[x.DType] == nil:
		return fmt.Errorf("extra array %q: there is no type %q, want uint8, int16, int32, uint64, float32 or float64", x.Name,
			x.DType)
	case !x.fits():
		return fmt.Errorf("extra array %q: shape %v, want at most %d dimensions of 1 or more, and %d bytes", x.Name, x.Shape,
			maxExtraDims, maxExtraBytes)
	case want != "" && (x.DType != want || !slices.Equal(x.Shape, []int{choices})):
		return fmt.Errorf("extra array %q: %s %v, want %s [%d], as agents that search report it; rename it if it is "+
			"something else", x.Name, x.DType, x.Shape, want, choices)
	}
	return nil
}

func (c *Config) checkExtra(spec *env.Spec) error {
	for i := range c.Extra {
		x := &c.Extra[i]
		if err := x.check(spec.MaskSize()); err != nil {
			return err
		}
		if hasExtra(c.Extra[:i], x.Name) {
			return fmt.Errorf("extra array %q is named twice", x.Name)
		}
	}
	if hasExtra(c.Extra, ledger.Visits) != hasExtra(c.Extra, ledger.Values) {
		return fmt.Errorf("extra arrays %q and %q go together: want both or neither", ledger.Visits, ledger.Values)
	}
	return nil
}

func hasExtra(all []Extra, name string) bool {
	return slices.ContainsFunc(all, func(x Extra) bool { return x.Name == name })
}

// apart are the arrays that are not the statistics of a search.
func apart(all []Extra) []Extra {
	return slices.DeleteFunc(slices.Clone(all), func(x Extra) bool {
		return x.Name == ledger.Visits || x.Name == ledger.Values
	})
}

// extraColumns are the columns of arrays that agents report.
func extraColumns(all []Extra) (columns []column) {
	for _, x := range all {
		load := parquet.FixedLenByteArrayValue
		if len(x.Shape) == 0 {
			load = numbers[x.DType]
		}
		columns = append(columns, column{x.column(),
			func(r *row) parquet.Value {
				if r.decision == nil || r.decision.Arrays[x.Name] == nil {
					return parquet.NullValue()
				}
				return load(r.decision.Arrays[x.Name])
			},
			func(r *row, v parquet.Value) error {
				if !v.IsNull() {
					data := v.Bytes() // little-endian; of small integers more than the array's own
					r.reported().Arrays[x.Name] = data[:min(len(data), x.size())]
				}
				return nil
			}})
	}
	return columns
}

// numbers makes a column's value from little-endian bytes.
var numbers = map[env.DType]func(data []byte) parquet.Value{
	env.Uint8:   func(b []byte) parquet.Value { return parquet.Int32Value(int32(b[0])) },
	env.Int16:   func(b []byte) parquet.Value { return parquet.Int32Value(int32(int16(le.Uint16(b)))) },
	env.Int32:   func(b []byte) parquet.Value { return parquet.Int32Value(int32(le.Uint32(b))) },
	env.Uint64:  func(b []byte) parquet.Value { return parquet.Int64Value(int64(le.Uint64(b))) },
	env.Float32: func(b []byte) parquet.Value { return parquet.FloatValue(math.Float32frombits(le.Uint32(b))) },
	env.Float64: func(b []byte) parquet.Value { return parquet.DoubleValue(math.Float64frombits(le.Uint64(b))) },
}

var le = binary.LittleEndian

// union joins two lists of arrays. Arrays with the same name must be the same.
func union(all, more []Extra) ([]Extra, error) {
	for _, x := range more {
		i := slices.IndexFunc(all, func(other Extra) bool { return other.Name == x.Name })
		switch {
		case i < 0:
			all = append(all, x)
		case all[i].DType != x.DType || !slices.Equal(all[i].Shape, x.Shape):
			return nil, fmt.Errorf("extra array %q is %s %v in one data set and %s %v in another", x.Name, all[i].DType,
				all[i].Shape, x.DType, x.Shape)
		}
	}
	return all, nil
}
