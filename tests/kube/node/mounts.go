package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// settings of the kernel that the kubelet writes and that are the whole machine's. It gets files to
// write into, so that none is changed.
var kernelSettings = []string{
	"vm/overcommit_memory", "vm/panic_on_oom", "kernel/panic", "kernel/panic_on_oops",
	"kernel/keys/root_maxkeys", "kernel/keys/root_maxbytes",
}

// mountAll gives the machine its own view of the file system: that of this machine, with places of its
// own where programs have fixed ones. Nobody outside sees any of it.
func (p *plan) mountAll() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	// Volumes that are mounted into pods have to be seen in them.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_SHARED, ""); err != nil {
		return err
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	if err := unix.Mount("run", "/run", "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755"); err != nil {
		return fmt.Errorf("mount /run: %w", err)
	}
	if err := p.overlay("/var/lib"); err != nil {
		return err
	}
	if err := p.replace("/var/log"); err != nil {
		return err
	}
	return p.shieldKernel()
}

// overlay lets the machine write below a folder without changing it: /var/lib/kubelet and
// /var/lib/cni cannot be elsewhere.
func (p *plan) overlay(folder string) error {
	if strings.HasPrefix(p.Folder, folder+"/") {
		return fmt.Errorf("%s is below %s, where machines have files of their own: set SUMAC_CACHE_DIR", p.Folder, folder)
	}
	upper, work := "/run/overlay/upper", "/run/overlay/work"
	if err := errors.Join(os.MkdirAll(upper, 0o755), os.MkdirAll(work, 0o755)); err != nil {
		return err
	}
	options := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", folder, upper, work)
	if err := unix.Mount("overlay", folder, "overlay", 0, options); err != nil {
		return fmt.Errorf("mount an overlay at %s: %w", folder, err)
	}
	return nil
}

// replace shows an empty folder in the place of another.
func (p *plan) replace(folder string) error {
	own := filepath.Join("/run/replaced", filepath.Base(folder))
	if err := os.MkdirAll(own, 0o755); err != nil {
		return err
	}
	return unix.Mount(own, folder, "", unix.MS_BIND, "")
}

func (p *plan) shieldKernel() error {
	for _, name := range kernelSettings {
		place := filepath.Join("/proc/sys", name)
		value, err := os.ReadFile(place)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		own := filepath.Join("/run/sysctl", name)
		if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(own, value, 0o644); err != nil {
			return err
		}
		if err := unix.Mount(own, place, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("shield %s: %w", place, err)
		}
	}
	return nil
}
