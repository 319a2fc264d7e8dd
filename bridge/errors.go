package bridge

import (
	"errors"
	"fmt"
	"strings"

	"pommego/vec"
)

// Code says what kind of thing went wrong, for programs. The codes are part of
// the protocol.
type Code string

// The codes an error reply can have.
const (
	CodeHelloExpected   Code = "hello_expected"
	CodeVersionMismatch Code = "version_mismatch"
	CodeMalformed       Code = "malformed"
	CodeMessageTooLarge Code = "message_too_large"
	CodeUnknownType     Code = "unknown_type"
	CodeUnknownField    Code = "unknown_field"
	CodeMissingField    Code = "missing_field"
	CodeWrongType       Code = "wrong_type"
	CodeWrongShape      Code = "wrong_shape"
	CodeOutOfRange      Code = "out_of_range"
	CodeUnknownEnvID    Code = "unknown_env_id"
	CodeUnknownEnv      Code = "unknown_env"
	CodeBadOption       Code = "bad_option"
	CodeBadAction       Code = "bad_action"
	CodeGameFinished    Code = "game_finished"
	CodeGameBroken      Code = "game_broken"
	CodeBadState        Code = "bad_state"
	CodeNotReset        Code = "not_reset"
	CodeLimit           Code = "limit"
	CodeGamePanic       Code = "game_panic"
	CodeInternal        Code = "internal"
)

// Error is an error reply.
type Error struct {
	Code    Code
	Message string // what was wrong and what was expected
	Hint    string // what to do about it, may be empty
	Field   string // the request's field, may be empty

	Versions []uint64 // with CodeVersionMismatch: what the server speaks
	Fault    *Fault   // with CodeGamePanic
}

// Fault says which game broke, and how it stood before.
type Fault struct {
	Game    int
	Seed    uint64
	Episode uint64
	State   []byte
}

func (e *Error) Error() string {
	text := string(e.Code) + ": " + e.Message
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// fail makes the error of one field. field may be empty.
func fail(code Code, field, hint, format string, args ...any) *Error {
	return &Error{Code: code, Field: field, Hint: hint, Message: fmt.Sprintf(format, args...)}
}

// asError turns any error into a reply's; one that is not ours is the server's
// own fault.
func asError(err error) *Error {
	if e := (*Error)(nil); errors.As(err, &e) {
		return e
	}
	return fail(CodeInternal, "", "please report it", "%v", err)
}

// fromVec turns vec's errors into replies. field is the one that is wrong
// unless the error says otherwise.
func (s *session) fromVec(err error, field string) error {
	message := strings.TrimPrefix(err.Error(), "vec: ")
	var broke *vec.GameError
	switch {
	case errors.As(err, &broke):
		s.server.cfg.Log.Error("game panicked", "client", s.client, "id", broke.Game, "seed", broke.Seed, "episode", broke.Episode,
			"value", broke.Value, "actions", broke.Actions, "stack", string(broke.Stack))
		e := fail(CodeGamePanic, "", "please report it with state; reset the game to go on", "%s", message)
		e.Fault = &Fault{Game: broke.Game, Seed: broke.Seed, Episode: broke.Episode, State: broke.State}
		return e
	case errors.As(err, new(*vec.ActionError)):
		return fail(CodeBadAction, "actions", "only rows that are out, or whose game this step resets, may have any value", "%s", message)
	case errors.As(err, new(*vec.StateError)):
		return fail(CodeBadState, "states", "states fit environments of the same id, rules and seats", "%s", message)
	case errors.Is(err, vec.ErrFinished):
		return fail(CodeGameFinished, field, "reset it with a mask", "%s", message)
	case errors.Is(err, vec.ErrBroken):
		return fail(CodeGameBroken, field, "reset it with a mask, or set its state", "%s", message)
	case errors.Is(err, vec.ErrNotReset):
		return fail(CodeNotReset, field, "reset all games first", "%s", message)
	}
	return fail(CodeInternal, field, "please report it", "%s", message)
}
