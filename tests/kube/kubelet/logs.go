package kubelet

import (
	"bytes"
	"sync"
	"time"
)

// logBuffer is what one container has written, by lines, with their times. Readers may follow.
type logBuffer struct {
	mutex   sync.Mutex
	changed chan struct{} // closed, and replaced, at each line
	lines   []logLine
	part    []byte // of a line without its end
	closed  bool
}

type logLine struct {
	at   time.Time
	text string
}

func newLogBuffer() *logBuffer { return &logBuffer{changed: make(chan struct{})} }

// Write takes a process's output.
func (l *logBuffer) Write(data []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.part = append(l.part, data...)
	for {
		end := bytes.IndexByte(l.part, '\n')
		if end < 0 {
			return len(data), nil
		}
		l.add(string(l.part[:end]))
		l.part = l.part[end+1:]
	}
}

func (l *logBuffer) print(line string) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.add(line)
}

// add is called with the mutex held.
func (l *logBuffer) add(line string) {
	l.lines = append(l.lines, logLine{time.Now(), line})
	close(l.changed)
	l.changed = make(chan struct{})
}

// close ends the log: nobody waits for more.
func (l *logBuffer) close() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if len(l.part) > 0 {
		l.add(string(l.part))
		l.part = nil
	}
	if !l.closed {
		l.closed = true
		close(l.changed)
		l.changed = make(chan struct{})
	}
}

// from returns the lines after the first `seen`, what to wait on for more, and whether none come.
func (l *logBuffer) from(seen int) (lines []logLine, more <-chan struct{}, closed bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.lines[min(seen, len(l.lines)):], l.changed, l.closed
}

// tail is the end of the log, at most so many bytes.
func (l *logBuffer) tail(bytes int) string {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	text := ""
	for i := len(l.lines) - 1; i >= 0 && len(text) < bytes; i-- {
		text = l.lines[i].text + "\n" + text
	}
	return text[max(0, len(text)-bytes):]
}
