package kubelet

import (
	"fmt"
	"os"
	"path/filepath"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func missing(err error, optional bool) error {
	if optional && apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// folder is the pod's own on this machine.
func (p *Pod) folder() string {
	return filepath.Join(p.kubelet.options.Folder, "pods", p.namespace, p.name+"."+string(p.UID))
}

// makeVolumes fills a folder for each volume, and returns where it is, by the volume's name. Folders
// of claims outlive pods; everything else goes with the cluster's folder.
func (p *Pod) makeVolumes() (map[string]string, error) {
	places := map[string]string{}
	for i := range p.object.Spec.Volumes {
		volume := &p.object.Spec.Volumes[i]
		place := filepath.Join(p.folder(), "volumes", volume.Name)
		switch {
		case volume.PersistentVolumeClaim != nil:
			place = filepath.Join(p.kubelet.options.Folder, "claims", p.namespace, volume.PersistentVolumeClaim.ClaimName)
		case volume.HostPath != nil:
			place = volume.HostPath.Path
		}
		if err := os.MkdirAll(place, 0o755); err != nil {
			return nil, err
		}
		if err := p.fill(place, &volume.VolumeSource); err != nil {
			return nil, fmt.Errorf("volume %s: %w", volume.Name, err)
		}
		places[volume.Name] = place
	}
	return places, nil
}

func (p *Pod) fill(place string, source *corev1.VolumeSource) error {
	switch {
	case source.EmptyDir != nil, source.HostPath != nil, source.PersistentVolumeClaim != nil:
		return nil
	case source.ConfigMap != nil:
		values, err := p.configMap(source.ConfigMap.Name, ptr.Deref(source.ConfigMap.Optional, false))
		return write(place, values, err, source.ConfigMap.Items, source.ConfigMap.DefaultMode)
	case source.Secret != nil:
		values, err := p.secret(source.Secret.SecretName, ptr.Deref(source.Secret.Optional, false))
		return write(place, values, err, source.Secret.Items, source.Secret.DefaultMode)
	case source.DownwardAPI != nil:
		return p.fillDownward(place, source.DownwardAPI.Items)
	case source.Projected != nil:
		for i := range source.Projected.Sources {
			if err := p.project(place, &source.Projected.Sources[i], source.Projected.DefaultMode); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("a kind of volume that is not played")
}

// write makes the files of a ConfigMap or Secret: those of items, or all.
func write(place string, values map[string]string, err error, items []corev1.KeyToPath, mode *int32) error {
	if err != nil {
		return err
	}
	if len(items) == 0 {
		for key := range values {
			items = append(items, corev1.KeyToPath{Key: key, Path: key})
		}
	}
	for _, item := range items {
		value, found := values[item.Key]
		if !found {
			return fmt.Errorf("references non-existent config key: %s", item.Key)
		}
		file := filepath.Join(place, item.Path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if item.Mode == nil {
			item.Mode = mode
		}
		if err := os.WriteFile(file, []byte(value), os.FileMode(ptr.Deref(item.Mode, 0o644))); err != nil {
			return err
		}
	}
	return nil
}

func (p *Pod) fillDownward(place string, items []corev1.DownwardAPIVolumeFile) error {
	for _, item := range items {
		if item.FieldRef == nil {
			return fmt.Errorf("the source of %s is not known here", item.Path)
		}
		value, err := p.field(item.FieldRef.FieldPath)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(place, item.Path), []byte(value), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func (p *Pod) project(place string, source *corev1.VolumeProjection, mode *int32) error {
	switch {
	case source.ConfigMap != nil:
		values, err := p.configMap(source.ConfigMap.Name, ptr.Deref(source.ConfigMap.Optional, false))
		return write(place, values, err, source.ConfigMap.Items, mode)
	case source.Secret != nil:
		values, err := p.secret(source.Secret.Name, ptr.Deref(source.Secret.Optional, false))
		return write(place, values, err, source.Secret.Items, mode)
	case source.DownwardAPI != nil:
		return p.fillDownward(place, source.DownwardAPI.Items)
	case source.ServiceAccountToken != nil:
		return p.writeToken(filepath.Join(place, source.ServiceAccountToken.Path), source.ServiceAccountToken)
	}
	return fmt.Errorf("a kind of projection that is not played")
}

func (p *Pod) writeToken(file string, source *corev1.ServiceAccountTokenProjection) error {
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{
		ExpirationSeconds: source.ExpirationSeconds,
		BoundObjectRef: &authenticationv1.BoundObjectReference{
			Kind: "Pod", APIVersion: "v1", Name: p.name, UID: p.UID},
	}}
	if source.Audience != "" {
		request.Spec.Audiences = []string{source.Audience}
	}
	accounts := p.kubelet.client.CoreV1().ServiceAccounts(p.namespace)
	answer, err := accounts.CreateToken(p.ctx, p.object.Spec.ServiceAccountName, request, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(answer.Status.Token), 0o600)
}
