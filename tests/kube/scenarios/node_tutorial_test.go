package scenarios

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"sumac.dev/tests/kube/node"
)

const tutorial = "docs/tutorial.md"

// doesTutorial trains on pictures here and then in the cluster, with a volume that was filled and with a
// download. It needs the operator, and leaves no job and no claim.
func (r *reader) doesTutorial(s *scenario) {
	r.Helper()
	home := r.folder
	defer func() { r.folder = home }()
	r.folder = r.nodeFolder(s)
	if err := os.Symlink(filepath.Join(*root, "examples"), filepath.Join(r.folder, "examples")); err != nil {
		r.Fatal(err)
	}
	r.imports("docker.io/library/busybox:1.36", "sleep", "tar", "test")
	r.imports("docker.io/curlimages/curl:8.11.1", "curl")
	r.offerVolume(s, "sumac-runs")
	r.offerVolume(s, "photos")

	r.does(tutorial, "Photographs")
	r.does(tutorial, "On a cluster")
	r.run(`bitsOf() { sumac models show "$1" -o json | grep -o '"parametersSha256": *"[0-9a-f]*"'; }
[[ $(bitsOf model.safetensors) == "$(bitsOf photos-run)" ]]`)
	commands := blocks(r.T, tutorial, "Data that are downloaded")
	const elsewhere = "https://files.example.com/"
	if strings.Count(commands, elsewhere) != 1 {
		r.Fatalf("%s does not download from %s any more", tutorial, elsewhere)
	}
	r.run(strings.Replace(commands, elsewhere, r.offersFiles(), 1))
	r.run("kubectl delete -f examples/cluster/claim.yaml; kubectl delete pvc photos; kubectl delete pv photos sumac-runs")
}

// nodeFolder is a folder that the machine of the reader's node sees, too.
func (r *reader) nodeFolder(s *scenario) string {
	r.Helper()
	folder, err := os.MkdirTemp(s.nodes.scratch, "reader-")
	if err != nil {
		r.Fatal(err)
	}
	return folder
}

var library = regexp.MustCompile(`(?m)(/\S+) \(0x`)

// imports puts an image into the node that has programs of this machine, in place of one that the node
// cannot pull.
func (r *reader) imports(name string, programs ...string) {
	r.Helper()
	files := map[string]string{}
	for _, program := range programs {
		path, err := exec.LookPath(program)
		if err != nil {
			r.Fatal(err)
		}
		needed, err := exec.Command("ldd", path).Output()
		if err != nil {
			r.Fatal(program, err)
		}
		files["usr/bin/"+program] = path
		for _, each := range library.FindAllStringSubmatch(string(needed), -1) {
			files[strings.TrimPrefix(each[1], "/")] = each[1]
		}
	}
	file := filepath.Join(r.folder, "image.tar")
	err := node.WriteImage(file, name, files)
	if err == nil {
		err = r.machine.Import(r.Context(), file)
	}
	if err != nil {
		r.Fatal(err)
	}
}

// offersFiles serves the files of the reader's folder at the address of the node, which it returns.
func (r *reader) offersFiles() string {
	r.Helper()
	const port = "8080"
	server := r.machine.Inside(r.Context(), "python3", "-m", "http.server", port, "--bind", node.Address, "--directory", r.folder)
	if err := server.Start(); err != nil {
		r.Fatal(err)
	}
	r.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	return "http://" + node.Address + ":" + port + "/"
}
