package node

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor time in /proc: the kernel gives programs 100 a second everywhere.
const tick = 10 * time.Millisecond

// CPU is processor time that was used.
type CPU struct{ User, System time.Duration }

// Total is the time in programs and in the kernel for them.
func (c CPU) Total() time.Duration { return c.User + c.System }

// Plus is the sum of both.
func (c CPU) Plus(other CPU) CPU { return CPU{c.User + other.User, c.System + other.System} }

// Minus is what was used since other.
func (c CPU) Minus(other CPU) CPU { return CPU{c.User - other.User, c.System - other.System} }

// OwnCPU is what a process itself has used, and its name.
func OwnCPU(process int) (name string, used CPU, err error) {
	name, fields, err := readStat(process)
	return name, ticks(fields, ownTime), err
}

// Parent is the process that a process was started by.
func Parent(process int) (int, error) {
	_, fields, err := readStat(process)
	if err != nil || len(fields) < 2 {
		return 0, fmt.Errorf("the parent of process %d is not known: %w", process, err)
	}
	return strconv.Atoi(fields[1])
}

// ProgramsCPU is what the machine's own programs have used, those that they called included, by name;
// pods are not among them.
func (m *Machine) ProgramsCPU() (map[string]CPU, error) {
	all, err := groupProcesses(filepath.Join(processGroups(), groupOf(m.Name), "machine"))
	used := map[string]CPU{}
	for _, each := range all {
		name, fields, err := readStat(each)
		if err != nil {
			continue // it has ended
		}
		used[name] = used[name].Plus(ticks(fields, ownTime))
		// A shim reaps what runs in its pod, and a keeper what is counted itself.
		if name == "containerd" || name == "kubelet" || name == "kube-proxy" {
			used[name] = used[name].Plus(ticks(fields, calledTime))
		}
	}
	return used, err
}

// Throttled is for how long the limits of a container (containerd://ID) and of its pod have kept it
// from running.
func (m *Machine) Throttled(id string) (total time.Duration, err error) {
	group, err := m.containerGroup("cpu", id)
	if err != nil {
		return 0, err
	}
	for _, each := range []string{group, filepath.Dir(group)} {
		throttled, err := throttledIn(each)
		if err != nil {
			return 0, err
		}
		total += throttled
	}
	return total, nil
}

func throttledIn(group string) (time.Duration, error) {
	text, err := os.ReadFile(filepath.Join(group, "cpu.stat"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		number, _ := strconv.ParseInt(value, 10, 64)
		switch name {
		case "throttled_time": // version 1
			return time.Duration(number), nil
		case "throttled_usec":
			return time.Duration(number) * time.Microsecond, nil
		}
	}
	return 0, fmt.Errorf("%s/cpu.stat tells of no throttled time", group)
}

// HostCPU is what all processes of this computer have used.
func HostCPU() (used CPU, err error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return used, err
	}
	fields := strings.Fields(string(text))
	const user, nice, system, irq, softirq = 1, 2, 3, 6, 7
	if len(fields) <= softirq {
		return used, errors.New("/proc/stat has no line of all processors")
	}
	return ticks(fields, [2][]int{{user, nice}, {system, irq, softirq}}), nil
}

// Fields of /proc/ID/stat behind the name, and so without the first two: times in programs and in the
// kernel, of the process, and of those that it has called and that have ended.
var (
	ownTime    = [2][]int{{11}, {12}}
	calledTime = [2][]int{{13}, {14}}
)

func ticks(fields []string, which [2][]int) CPU {
	sum := func(indexes []int) (total time.Duration) {
		for _, each := range indexes {
			if each < len(fields) {
				number, _ := strconv.ParseInt(fields[each], 10, 64)
				total += time.Duration(number) * tick
			}
		}
		return total
	}
	return CPU{sum(which[0]), sum(which[1])}
}

func readStat(process int) (name string, fields []string, err error) {
	return readStatFile(fmt.Sprintf("/proc/%d/stat", process))
}

// readStatFile reads a process's stat, or a thread's: its name and the fields behind it.
func readStatFile(file string) (name string, fields []string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", nil, err
	}
	_, rest, _ := strings.Cut(string(text), "(")
	end := strings.LastIndex(rest, ")") // a name may have brackets
	if end < 0 {
		return "", nil, fmt.Errorf("%s: %q", file, text)
	}
	return rest[:end], strings.Fields(rest[end+1:]), nil
}
