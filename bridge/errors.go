package bridge

import (
	"errors"
	"fmt"
	"math"

	"pommego/vec"
)

// errorCode says what kind of thing went wrong, for programs. The codes are part of
// the protocol.
type errorCode string

// The codes an error reply can have.
const (
	codeHelloExpected   errorCode = "hello_expected"
	codeVersionMismatch errorCode = "version_mismatch"
	codeMalformed       errorCode = "malformed"
	codeMessageTooLarge errorCode = "message_too_large"
	codeUnknownType     errorCode = "unknown_type"
	codeUnknownField    errorCode = "unknown_field"
	codeMissingField    errorCode = "missing_field"
	codeWrongType       errorCode = "wrong_type"
	codeWrongShape      errorCode = "wrong_shape"
	codeOutOfRange      errorCode = "out_of_range"
	codeUnknownEnvID    errorCode = "unknown_env_id"
	codeUnknownEnv      errorCode = "unknown_env"
	codeBadOption       errorCode = "bad_option"
	codeBadAction       errorCode = "bad_action"
	codeGameFinished    errorCode = "game_finished"
	codeGameBroken      errorCode = "game_broken"
	codeBadState        errorCode = "bad_state"
	codeNotReset        errorCode = "not_reset"
	codeOutOfTurn       errorCode = "out_of_turn"
	codeLimit           errorCode = "limit"
	codeGamePanic       errorCode = "game_panic"
	codeInternal        errorCode = "internal"
)

type wireError struct {
	Code    errorCode
	Message string // says what was wrong and what was expected
	Hint    string // says what to do about it; may be empty
	Field   string // names the request's field; may be empty

	Details entries // further fields for programs, as PROTOCOL.md lists them
}

func (e *wireError) Error() string {
	text := string(e.Code) + ": " + e.Message
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// fail makes the error of one field of a request. field may be empty.
func fail(code errorCode, field, hint, format string, args ...any) *wireError {
	return &wireError{Code: code, Field: field, Hint: hint, Message: fmt.Sprintf(format, args...)}
}

// asError turns any error into a reply's. An error that is no *wireError is the
// server's own fault.
func asError(err error) *wireError {
	if e := (*wireError)(nil); errors.As(err, &e) {
		return e
	}
	return fail(codeInternal, "", "please report it", "%v", err)
}

// fromVec turns vec's errors into replies. field is the one that is wrong
// unless the error says otherwise.
func (s *session) fromVec(err error, field string) error {
	if err == nil {
		return nil
	}
	var broke *vec.GameError
	var action *vec.ActionError
	var refused *wireError
	switch {
	case errors.Is(err, vec.ErrStopped): // answer deals with it
		return err
	case errors.As(err, &refused): // the saved game names an agent that is refused here
		return inField(refused, field)
	case errors.As(err, &broke):
		s.server.cfg.Log.Error("game panicked", "client", s.client, "id", broke.Game, "seed", broke.Seed,
			"episode", broke.Episode,
			"value", broke.Value, "actions", broke.Actions, "stack", string(broke.Stack))
		e := fail(codeGamePanic, "", "please report it with state; reset the game to go on", "%v", err)
		e.Details = entries{"game", broke.Game, "seed", broke.Seed, "episode", broke.Episode,
			"state", append([]byte{}, broke.State...)}
		return e
	case errors.As(err, &action):
		e := fail(codeBadAction, "actions", "only rows that are out, or whose game this step resets, may have any value",
			"%v", err)
		if action.Value == math.MaxUint8 { // the number fits into no byte
			e.Details = entries{"action", []any{action.Row, action.Component, action.Name, action.N - 1}}
		}
		return e
	case errors.As(err, new(*vec.StateError)):
		return fail(codeBadState, "states", "states fit environments of the same id, rules and seats", "%v", err)
	case errors.As(err, new(*vec.OptionError)):
		return optionError(err)
	case errors.Is(err, vec.ErrFinished):
		return fail(codeGameFinished, field, "reset it with a mask; simulate takes no finished games", "%v", err)
	case errors.Is(err, vec.ErrBroken):
		return fail(codeGameBroken, field,
			"set its state, or reset it with a mask; with a batch_size: all games", "%v", err)
	case errors.Is(err, vec.ErrSent), errors.Is(err, vec.ErrFew):
		return fail(codeOutOfTurn, field,
			"recv a game before you send it again, and have batch_size games under way before you recv", "%v", err)
	case errors.Is(err, vec.ErrNotReset):
		return fail(codeNotReset, field, "reset all games first", "%v", err)
	}
	return fail(codeInternal, field, "please report it", "%v", err)
}
