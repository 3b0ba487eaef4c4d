//go:build unix && !linux

package lab

import "syscall"

// attributes: without Linux's parent-death signal a server outlives a killed
// parent; the next lab removes only its files.
func attributes(a account) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if a.switched {
		attr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return attr
}
