package lab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// process is one running postmaster.
type process struct {
	proc *os.Process
	done chan struct{} // closed when it has ended
	mu   sync.Mutex
	err  error
}

// startProcess starts cmd on a thread that stays until the program ends: the
// kernel sends the parent-death signal when the starting thread goes, and Go
// gives up idle threads.
func startProcess(cmd *exec.Cmd, a account) (*process, error) {
	cmd.SysProcAttr = attributes(a)
	p := &process{done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		p.proc = cmd.Process
		started <- err
		if err != nil {
			return
		}
		err = cmd.Wait()
		p.mu.Lock()
		p.err = err
		p.mu.Unlock()
		close(p.done)
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// exited returns how the process ended; nil while it runs.
func (p *process) exited() error {
	select {
	case <-p.done:
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.err == nil {
			return errors.New("it ended")
		}
		return p.err
	default:
		return nil
	}
}

// end sends sig and waits for the end.
func (p *process) end(sig syscall.Signal, patience time.Duration) error {
	if p.exited() != nil {
		return nil
	}
	if err := p.proc.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("process %d did not end within %s", p.proc.Pid, patience)
	}
}
