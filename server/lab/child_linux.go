package lab

import "syscall"

// attributes puts the server into a process group of its own, so that Ctrl-C in
// a terminal reaches it only through us, and ties its life to ours: when the
// thread that started it dies, and with it the process, the kernel tells the
// server to shut down at once.
func attributes(a account) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGQUIT}
	if a.switched {
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attr
}
