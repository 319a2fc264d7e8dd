package bridge

// attach notes that the client has mapped the environment's memory.
func (s *session) attach(e *environment, id uint64, _ nothing) (reply, error) {
	if e.channel == nil {
		return reply{}, fail(codeBadOption, "env", "make it with shared_memory", "environment %d shares no memory", e.handle)
	}
	if err := e.channel.attach(s.stepSignal); err != nil {
		return reply{}, err
	}
	return e.ok(id)
}
