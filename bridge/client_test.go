package bridge

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"
	"github.com/vmihailenco/msgpack/v5"

	"pommego/env"
)

// Client is a plain client of the protocol. It belongs to one goroutine, except that one may send while another
// receives.
type Client struct {
	ws     *websocket.Conn
	hello  Message
	nextID uint64
	buf    []byte
}

// DialOptions are what a client may want otherwise. The zero value is usable.
type DialOptions struct {
	Token  string // empty: none is sent
	Name   string // name and version. Empty: "pommego-go"
	Origin string // empty: none is sent

	Pipe func(ctx context.Context, network, address string) (net.Conn, error) // connects; nil: over the network
}

// Message is a reply. Integers are int64 or uint64, arrays []any, maps Message,
// texts string, binaries []byte. Binaries lie in the client's buffer and are
// valid until the next Receive.
type Message map[string]any

// EncodeMsgpack writes the map with its keys sorted.
func (m Message) EncodeMsgpack(out *msgpack.Encoder) error { return out.EncodeMapSorted(m) }

// Tensor is a tensor on the wire.
type Tensor struct {
	DType env.DType
	Shape []int
	Data  []byte
}

// EncodeMsgpack writes a tensor without a pad.
func (t Tensor) EncodeMsgpack(out *msgpack.Encoder) error {
	return out.Encode([]any{string(t.DType), t.Shape, []byte{}, append([]byte{}, t.Data...)})
}

// encodeRequest writes a request by the library alone, with none of the
// server's code: entries in their order, each as short as it can be.
func encodeRequest(request entries) ([]byte, error) {
	var buf bytes.Buffer
	out := msgpack.NewEncoder(&buf)
	out.UseCompactInts(true)
	out.SetSortMapKeys(true)
	if err := out.EncodeMapLen(len(request) / 2); err != nil {
		return nil, err
	}
	err := out.EncodeMulti(request...)
	return buf.Bytes(), err
}

// Dial connects to "ws://host:port" or "unix:/path" and says hello.
func Dial(ctx context.Context, address string, o DialOptions) (*Client, error) {
	dialer := websocket.Dialer{NetDialContext: o.Pipe, Subprotocols: []string{Subprotocol}, ReadBufferSize: 64 << 10,
		WriteBufferSize: 16 << 10}
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		address = "ws://localhost"
		dialer.NetDialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		}
	}
	header := http.Header{}
	if o.Token != "" {
		header.Set("Authorization", "Bearer "+o.Token)
	}
	if o.Origin != "" {
		header.Set("Origin", o.Origin)
	}
	ws, answer, err := dialer.DialContext(ctx, address, header)
	if err != nil {
		if answer != nil {
			reason := make([]byte, 512)
			n, _ := answer.Body.Read(reason)
			return nil, fmt.Errorf("bridge: connecting to %s: %s: %s", address, answer.Status,
				strings.TrimSpace(string(reason[:n])))
		}
		return nil, fmt.Errorf("bridge: connecting to %s: %w", address, err)
	}
	c := &Client{ws: ws}
	if o.Name == "" {
		o.Name = "pommego-go"
	}
	if c.hello, err = c.Call("hello", "versions", []int{Version}, "client", o.Name); err != nil {
		ws.Close()
		return nil, err
	}
	return c, nil
}

// Hello is the server's reply to hello.
func (c *Client) Hello() Message { return c.hello }

// Close ends the connection.
func (c *Client) Close() error {
	closing := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	_ = c.ws.WriteControl(websocket.CloseMessage, closing, time.Now().Add(time.Second)) // a courtesy
	return c.ws.Close()
}

// Call sends a request, with fields as name, value, name, value, and returns
// its reply. An error reply is an *wireError.
func (c *Client) Call(kind string, fields ...any) (Message, error) {
	id, err := c.Send(kind, fields...)
	if err != nil {
		return nil, err
	}
	reply, err := c.Receive()
	if err == nil && reply["id"] != any(int64(id)) {
		err = fmt.Errorf("bridge: the reply has id %v, want %d", reply["id"], id)
	}
	return reply, err
}

// Send sends a request without waiting for its reply, and returns its number.
func (c *Client) Send(kind string, fields ...any) (id uint64, err error) {
	c.nextID++
	msg, err := encodeRequest(append(entries{"type", kind, "id", c.nextID}, fields...))
	if err != nil {
		return 0, err
	}
	return c.nextID, c.SendRaw(msg)
}

// SendRaw sends any bytes as a message.
func (c *Client) SendRaw(msg []byte) error { return c.ws.WriteMessage(websocket.BinaryMessage, msg) }

// Receive waits for the next reply. An error reply is an *wireError.
func (c *Client) Receive() (Message, error) {
	msg, err := c.ReceiveRaw()
	if err != nil {
		return nil, err
	}
	return decodeReply(msg)
}

// ReceiveRaw waits for the next reply and returns its bytes, which are valid
// until the next call.
func (c *Client) ReceiveRaw() ([]byte, error) {
	kind, in, err := c.ws.NextReader()
	if err != nil {
		return nil, err
	}
	if kind != websocket.BinaryMessage {
		return nil, errText
	}
	r := request{buf: c.buf}
	err = r.fill(in, 1<<31-1, &link{spare: 1<<31 - 1})
	c.buf = r.buf
	return r.buf, err
}

// decodeReply reads a reply.
func decodeReply(msg []byte) (Message, error) {
	c := cursor{msg: msg}
	v, err := c.anything()
	if err != nil {
		return nil, fmt.Errorf("bridge: reading a reply: %w", err)
	}
	reply, ok := v.(Message)
	if !ok || c.pos != len(msg) {
		return nil, fmt.Errorf("bridge: the reply is a %T with %d bytes behind it, want a map alone", v, len(msg)-c.pos)
	}
	if reply["type"] == "error" {
		return reply, replyError(reply)
	}
	return reply, nil
}

func replyError(reply Message) *wireError {
	text := func(name string) string { s, _ := reply[name].(string); return s }
	e := &wireError{Code: errorCode(text("code")), Message: text("message"), Hint: text("hint"), Field: text("field")}
	for _, name := range []string{"versions", "action", "game", "seed", "episode", "state"} {
		if v, ok := reply[name]; ok {
			e.Details = append(e.Details, name, v)
		}
	}
	return e
}

// anything reads any value.
func (c *cursor) anything() (any, error) {
	it, err := c.next()
	if err != nil {
		return nil, err
	}
	switch it.form {
	case formBool:
		return it.bits != 0, nil
	case formInt:
		if !it.negative && it.bits > math.MaxInt64 {
			return it.bits, nil
		}
		return int64(it.bits), nil
	case formFloat:
		return math.Float64frombits(it.bits), nil
	case formText:
		return string(it.data), nil
	case formBinary:
		return it.data, nil
	case formArray:
		list := make([]any, it.n)
		for i := range list {
			if list[i], err = c.anything(); err != nil {
				return nil, err
			}
		}
		return list, nil
	case formMap:
		m := make(Message, it.n)
		for range it.n {
			key, err := c.next()
			if err != nil {
				return nil, err
			}
			if m[string(key.data)], err = c.anything(); err != nil {
				return nil, err
			}
		}
		return m, nil
	}
	return nil, nil
}

// Int is an integer of the reply, 0 if there is none by that name.
func (m Message) Int(name string) int { return int(number(m[name])) }

// Map is a map in the reply, nil if there is none by that name.
func (m Message) Map(name string) Message {
	v, _ := m[name].(Message)
	return v
}

func (m Message) list(name string) []any {
	v, _ := m[name].([]any)
	return v
}

// Binaries is a list of binaries in the reply.
func (m Message) Binaries(name string) [][]byte {
	var all [][]byte
	for _, v := range m.list(name) {
		b, _ := v.([]byte)
		all = append(all, b)
	}
	return all
}

// Tensor is a tensor in the reply, the zero Tensor if there is none by that name.
func (m Message) Tensor(name string) Tensor {
	parts := m.list(name)
	if len(parts) != 4 {
		return Tensor{}
	}
	dtype, _ := parts[0].(string)
	shape, _ := parts[1].([]any)
	t := Tensor{DType: env.DType(dtype), Shape: make([]int, len(shape))}
	for i, n := range shape {
		t.Shape[i] = int(number(n))
	}
	t.Data, _ = parts[3].([]byte)
	return t
}

func number(v any) uint64 {
	switch v := v.(type) {
	case int64:
		return uint64(v)
	case uint64:
		return v
	}
	return 0
}
