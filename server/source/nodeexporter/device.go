package nodeexporter

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"stallbook/server/source/scrape"
)

// layout is what a page says about the host's block devices.
type layout struct {
	disks   []string          // devices with I/O counters, sorted
	mapped  map[string]string // device mapper name, or vg/lv, to dm-N
	serials map[string]string // serial without dashes to device; on EC2 it is the volume's id
	mounts  []mount
}

type mount struct{ point, device, fstype string }

func layoutOf(p scrape.Page) layout {
	l := layout{mapped: map[string]string{}, serials: map[string]string{}}
	for _, m := range p.Family(writesCompleted) {
		l.disks = append(l.disks, scrape.Label(m, "device"))
	}
	slices.Sort(l.disks)
	for _, m := range p.Family("node_disk_device_mapper_info") {
		dm := scrape.Label(m, "device")
		l.mapped[scrape.Label(m, "name")] = dm
		if vg := scrape.Label(m, "vg_name"); vg != "" {
			l.mapped[vg+"/"+scrape.Label(m, "lv_name")] = dm
		}
	}
	for _, m := range p.Family("node_disk_info") {
		if serial := plainSerial(scrape.Label(m, "serial")); serial != "" {
			l.serials[serial] = scrape.Label(m, "device")
		}
	}
	for _, m := range p.Family("node_filesystem_size_bytes") {
		l.mounts = append(l.mounts, mount{scrape.Label(m, "mountpoint"), scrape.Label(m, "device"), scrape.Label(m, "fstype")})
	}
	return l
}

func plainSerial(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "-", "") }

// partition tells a partition's name from its disk's: nvme1n1p2, mmcblk0p1 and
// md127p1 have a p where the disk's name ends in a digit, sda1 has none.
var partition = regexp.MustCompile(`^(?:((?:nvme\d+n|mmcblk|md|nbd|loop)\d+)p\d+|((?:s|v|xv|h)d[a-z]+)\d+)$`)

// lookup finds the counters' name of a device as a person or /proc/mounts
// writes it.
func (l layout) lookup(name string) (disk string, ok bool) {
	name = strings.TrimPrefix(name, "/dev/")
	mapper := strings.TrimPrefix(name, "mapper/")
	candidates := []string{name, l.mapped[mapper], l.serials[plainSerial(name)]}
	if m := partition.FindStringSubmatch(name); m != nil {
		candidates = append(candidates, m[1]+m[2])
	}
	for _, c := range candidates {
		if xen, cut := strings.CutPrefix(c, "sd"); cut {
			candidates = append(candidates, "xvd"+xen) // what EC2's console calls sdf is xvdf on Xen
		}
	}
	for _, c := range candidates {
		if c != "" && slices.Contains(l.disks, c) {
			return c, true
		}
	}
	return "", false
}

// find says which device holds the data directory. The error names the choices
// and the setting that decides.
func (l layout) find(device, dataDir string) (string, error) {
	switch {
	case len(l.disks) == 0:
		return "", fmt.Errorf("the page has no %s: is it a node_exporter, with its diskstats collector on?", writesCompleted)
	case device != "":
		if disk, ok := l.lookup(device); ok {
			return disk, nil
		}
		return "", fmt.Errorf("the host has no block device %q; set node_exporter.device to one of: %s", device, l.choices())
	case dataDir != "":
		return l.underneath(path.Clean(dataDir))
	default:
		return l.only()
	}
}

// underneath finds the filesystem of dir and its device.
func (l layout) underneath(dir string) (string, error) {
	var best []mount
	for _, m := range l.mounts {
		if !within(dir, m.point) {
			continue
		}
		if len(best) > 0 && len(m.point) > len(best[0].point) {
			best = nil
		}
		if len(best) == 0 || m.point == best[0].point {
			best = append(best, m)
		}
	}
	if len(best) == 0 {
		return "", fmt.Errorf("the page shows no filesystem that holds %s (is the filesystem collector on?); set node_exporter.device to one of: %s", dir, l.choices())
	}
	var found []string
	for _, m := range best {
		if disk, ok := l.lookup(m.device); ok && !slices.Contains(found, disk) {
			found = append(found, disk)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", fmt.Errorf("%s lies on %s (%s, mounted on %s), which has no I/O counters of its own; set node_exporter.device to one of: %s",
			dir, best[0].device, best[0].fstype, best[0].point, l.choices())
	}
	return "", fmt.Errorf("%s may lie on %s, all mounted on %s; set node_exporter.device to the right one",
		dir, strings.Join(found, " or "), best[0].point)
}

func within(dir, point string) bool {
	return point == "/" || dir == point || strings.HasPrefix(dir, strings.TrimSuffix(point, "/")+"/")
}

// only returns the device of a host that has but one worth asking about.
func (l layout) only() (string, error) {
	var found []string
	for _, m := range l.mounts {
		if m.point == "/boot" || strings.HasPrefix(m.point, "/boot/") {
			continue
		}
		if disk, ok := l.lookup(m.device); ok && !slices.Contains(found, disk) {
			found = append(found, disk)
		}
	}
	if len(found) == 0 && len(l.disks) == 1 {
		found = l.disks
	}
	if len(found) == 1 {
		return found[0], nil
	}
	return "", fmt.Errorf("can't tell which block device holds the data directory; set node_exporter.data_dir, or node_exporter.device to one of: %s", l.choices())
}

// choices lists the devices with where they are mounted.
func (l layout) choices() string {
	var out []string
	for _, d := range l.disks {
		var where []string
		for name, dm := range l.mapped {
			if dm == d && !strings.Contains(name, "/") {
				where = append(where, name)
			}
		}
		for _, m := range l.mounts {
			if disk, ok := l.lookup(m.device); ok && disk == d {
				where = append(where, m.point)
			}
		}
		slices.Sort(where) // the mapper names come in no order
		if len(where) > 0 {
			d += " (" + strings.Join(where, ", ") + ")"
		}
		out = append(out, d)
	}
	return strings.Join(out, ", ")
}
