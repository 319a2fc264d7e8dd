package bridge

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

// lodge is the guests that are kept, by the names of their sessions.
type lodge struct {
	mu     sync.Mutex
	guests map[string]*Guest
}

// errGone is why nothing more can begin.
var errGone = errors.New("bridge: the server is shutting down")

// Keep has a session of a name outlast its request, as one whose requests come on connections of their own: as
// a guest that counts as a connection until it is closed and end has returned. Half of all are for requests.
// Where there are too many, the one makes room that has had no request for longest, if for longer than idle.
func (g *Guest) Keep(name string, idle time.Duration, end func()) (*Guest, error) {
	srv := g.server
	leave, status, reason := srv.enter(g.address, g.here, 2)
	if status != 0 && srv.lodge.makeRoom(g, idle, status == http.StatusTooManyRequests) {
		leave, status, reason = srv.enter(g.address, g.here, 2)
	}
	if status != 0 {
		return nil, errors.New(reason)
	}
	kept := g.service.newGuest(g.client, leave)
	kept.address, kept.here, kept.rested, kept.gone = g.address, g.here, time.Now(), make(chan struct{})
	err := kept.memory.reserve(g.body*mapsWeight, "", "a session") // it keeps what began it
	if err == nil && !g.service.add(kept) {
		err = errGone
	}
	if err != nil {
		kept.finish()
		return nil, err
	}
	srv.lodge.put(name, kept)
	go func() {
		defer close(kept.gone)
		kept.stay(func() {
			<-kept.quit
			srv.lodge.put(name, nil)
			end()
		})
	}()
	return kept, nil
}

func (l *lodge) put(name string, g *Guest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.guests == nil {
		l.guests = map[string]*Guest{}
	}
	if l.guests[name] = g; g == nil {
		delete(l.guests, name)
	}
}

// request notes a request, of a session that is kept or not, until the function that it returns is called. DELETE
// ends its session.
func (l *lodge) request(r *http.Request) (done func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.guests[r.Header.Get(sessionHeader)]
	if g == nil {
		return func() {}
	}
	g.requests++
	if r.Method == http.MethodDelete {
		g.Close()
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		g.requests--
		g.rested = time.Now()
	}
}

// makeRoom ends the session that has been idle for longest, if for longer than idle; near: one of g's address.
// It reports whether it has.
func (l *lodge) makeRoom(g *Guest, idle time.Duration, near bool) bool {
	var oldest *Guest
	l.mu.Lock()
	for _, k := range l.guests {
		if k.requests == 0 && time.Since(k.rested) > idle && (!near || k.address == g.address) &&
			(oldest == nil || k.rested.Before(oldest.rested)) {
			oldest = k
		}
	}
	l.mu.Unlock()
	if oldest == nil {
		return false
	}
	oldest.Close()
	select {
	case <-oldest.gone:
		return true
	case <-g.quit:
		return false
	}
}
