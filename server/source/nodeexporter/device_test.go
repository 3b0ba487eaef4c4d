package nodeexporter

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stallbook/server/source/scrape"
)

// pageOf scrapes a recorded page over HTTP.
func pageOf(t *testing.T, file string) scrape.Page {
	t.Helper()
	srv := httptest.NewServer(http.FileServer(http.Dir("testdata")))
	defer srv.Close()
	client, err := scrape.New(srv.URL + "/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	page, err := client.Get(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func TestFindDevice(t *testing.T) {
	for _, c := range []struct {
		page, device, dir string
		want              string // the device, or
		says              string // a part of the error
	}{
		{"ec2-nvme.prom", "nvme1n1", "", "nvme1n1", ""},
		{"ec2-nvme.prom", "/dev/nvme2n1p1", "", "nvme2n1", ""},
		{"ec2-nvme.prom", "vol-0bbbbbbbbbbbbbbbb", "", "nvme1n1", ""},
		{"ec2-nvme.prom", "xvdf", "", "", `no block device "xvdf"; set node_exporter.device to one of: nvme0n1 (/, /boot/efi), nvme1n1 (/var/lib/pgsql), nvme2n1 (/var/lib/pgsql/wal)`},
		{"ec2-nvme.prom", "", "/var/lib/pgsql/17/data", "nvme1n1", ""},
		{"ec2-nvme.prom", "", "/var/lib/pgsql/wal/17", "nvme2n1", ""},
		{"ec2-nvme.prom", "", "/var/lib/pgsql-old", "nvme0n1", ""},
		{"ec2-nvme.prom", "", "/run/pg", "", "lies on tmpfs (tmpfs, mounted on /run)"},
		{"ec2-nvme.prom", "", "", "", "can't tell which block device"},
		{"ec2-xen.prom", "sdf", "", "xvdf", ""},
		{"ec2-xen.prom", "", "/data/pg/", "xvdf", ""},
		{"lvm.prom", "", "/srv/postgresql/15/main", "dm-1", ""},
		{"lvm.prom", "", "/srv/archive", "dm-2", ""},
		{"lvm.prom", "", "/home/x", "dm-0", ""},
		{"lvm.prom", "pg-data/main", "", "dm-1", ""},
		{"lvm.prom", "/dev/mapper/luks-db", "", "dm-2", ""},
		{"lvm.prom", "dm-9", "", "", "dm-1 (/srv/postgresql, pg--data-main)"},
		{"md.prom", "", "/pgdata/17", "md127", ""},
		{"md.prom", "/dev/md127", "", "md127", ""},
		{"overmount.prom", "", "/data/pg", "", "may lie on sdb or sdc, all mounted on /data"},
		{"overmount.prom", "", "/tank/pg/17", "", "lies on tank/pg (zfs, mounted on /tank/pg)"},
		{"one-disk.prom", "", "", "vda", ""},
	} {
		got, err := layoutOf(pageOf(t, c.page)).find(c.device, c.dir)
		if got != c.want {
			t.Errorf("%s, device %q, data_dir %q: %q, want %q (%v)", c.page, c.device, c.dir, got, c.want, err)
		}
		if c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s, device %q, data_dir %q: error %v, want ...%s", c.page, c.device, c.dir, err, c.says)
		}
	}
}

func TestFindDeviceWithoutDiskstats(t *testing.T) {
	_, err := layout{}.find("sda", "")
	if err == nil || !strings.Contains(err.Error(), "diskstats") {
		t.Errorf("a page that is no node_exporter's: %v", err)
	}
}
