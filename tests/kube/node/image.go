package node

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
)

// WriteImage makes an image of files, by their paths in it, as a tar file in Docker's format. All are
// root's and anybody may read and execute them.
func WriteImage(file, name string, files map[string]string, entrypoint ...string) error {
	layer, err := layerOf(files)
	if err != nil {
		return err
	}
	digest := hexDigest(layer)
	config, err := json.Marshal(map[string]any{
		"architecture": "amd64", "os": "linux",
		"config": map[string]any{"Entrypoint": entrypoint, "Env": []string{"PATH=/usr/local/bin:/usr/bin:/bin"}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + digest}},
	})
	if err != nil {
		return err
	}
	manifest, err := json.Marshal([]map[string]any{{
		"Config": hexDigest(config) + ".json", "RepoTags": []string{name}, "Layers": []string{digest + "/layer.tar"},
	}})
	if err != nil {
		return err
	}
	archive, err := archiveOf([]content{
		{hexDigest(config) + ".json", config}, {digest + "/layer.tar", layer}, {"manifest.json", manifest},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(file, archive, 0o644)
}

type content struct {
	path string
	data []byte
}

func hexDigest(data []byte) string {
	digest := sha256.Sum256(data)
	return hex.EncodeToString(digest[:])
}

func layerOf(files map[string]string) ([]byte, error) {
	var contents []content
	for path, source := range files {
		data, err := os.ReadFile(source)
		if err != nil {
			return nil, err
		}
		contents = append(contents, content{path, data})
	}
	slices.SortFunc(contents, func(a, b content) int { return bytes.Compare([]byte(a.path), []byte(b.path)) })
	return archiveOf(contents)
}

func archiveOf(contents []content) ([]byte, error) {
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	for _, each := range contents {
		if err := writer.WriteHeader(&tar.Header{Name: each.path, Mode: 0o755, Size: int64(len(each.data))}); err != nil {
			return nil, err
		}
		if _, err := writer.Write(each.data); err != nil {
			return nil, err
		}
	}
	err := writer.Close()
	return archive.Bytes(), err
}
