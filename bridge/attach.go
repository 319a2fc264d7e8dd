package bridge

func init() {
	registerEnv("attach", false, readNothing, (*session).attach)
	registerEnv("ring", false, readNothing, (*session).ring)
}

// attach notes that the client has mapped the environment's memory.
func (s *session) attach(e *environment, id uint64, _ nothing) (reply, error) {
	if e.shared == nil {
		return reply{}, fail(CodeBadOption, "env", "make it with shared_memory", "environment %d shares no memory", e.handle)
	}
	if err := e.shared.attached(); err != nil {
		return reply{}, err
	}
	return e.ok(id)
}

// ring wakes the session for the step with the request's number. By now it has
// been made and answered in the mailbox.
func (s *session) ring(e *environment, id uint64, _ nothing) (reply, error) {
	if e.mailbox == nil {
		return reply{}, fail(CodeBadOption, "env", "make it with shared_memory", "environment %d has no mailbox", e.handle)
	}
	if e.mailbox.last < id {
		return reply{}, fail(CodeMissingField, "id", "write the actions, and then the number, before ringing", "no step %d lies in the mailbox", id)
	}
	s.attentive = true
	return reply{}, nil
}
