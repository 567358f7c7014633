package kubelet

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/api/v1/resource"
	"k8s.io/kubernetes/pkg/fieldpath"
	"k8s.io/kubernetes/third_party/forked/golang/expansion"
	"k8s.io/utils/ptr"
)

// environment is a container's, in order, with all references resolved.
type environment struct {
	names  []string
	values map[string]string
}

func (e *environment) set(name, value string) {
	if _, known := e.values[name]; !known {
		e.names = append(e.names, name)
	}
	e.values[name] = value
}

func (e *environment) list() []string {
	var all []string
	for _, name := range e.names {
		all = append(all, name+"="+e.values[name])
	}
	return all
}

// expand replaces $(NAME) as Kubernetes does.
func (e *environment) expand(texts []string) []string {
	var all []string
	for _, text := range texts {
		all = append(all, expansion.Expand(text, expansion.MappingFuncFor(e.values)))
	}
	return all
}

func (p *Pod) environment(spec *corev1.Container, path string) (*environment, error) {
	env := &environment{values: map[string]string{}}
	env.set("PATH", path)
	env.set("HOME", "/")
	env.set("HOSTNAME", p.name)
	host, port, _ := strings.Cut(strings.TrimPrefix(p.kubelet.options.Config.Host, "https://"), ":")
	env.set("KUBERNETES_SERVICE_HOST", host)
	env.set("KUBERNETES_SERVICE_PORT", port)
	for _, from := range spec.EnvFrom {
		if err := p.addAll(env, from); err != nil {
			return nil, err
		}
	}
	for _, each := range spec.Env {
		value := expansion.Expand(each.Value, expansion.MappingFuncFor(env.values))
		if each.ValueFrom != nil {
			given, found, err := p.valueFrom(spec, each.ValueFrom)
			if err != nil {
				return nil, fmt.Errorf("environment variable %s: %w", each.Name, err)
			}
			if !found {
				continue
			}
			value = given
		}
		env.set(each.Name, value)
	}
	return env, nil
}

func (p *Pod) addAll(env *environment, from corev1.EnvFromSource) error {
	var values map[string]string
	var err error
	switch {
	case from.ConfigMapRef != nil:
		values, err = p.configMap(from.ConfigMapRef.Name, ptr.Deref(from.ConfigMapRef.Optional, false))
	case from.SecretRef != nil:
		values, err = p.secret(from.SecretRef.Name, ptr.Deref(from.SecretRef.Optional, false))
	}
	for name, value := range values {
		env.set(from.Prefix+name, value)
	}
	return err
}

func (p *Pod) valueFrom(spec *corev1.Container, from *corev1.EnvVarSource) (value string, found bool, err error) {
	switch {
	case from.FieldRef != nil:
		value, err = p.field(from.FieldRef.FieldPath)
		return value, err == nil, err
	case from.ResourceFieldRef != nil:
		value, err = resource.ExtractContainerResourceValue(from.ResourceFieldRef, spec)
		return value, err == nil, err
	case from.ConfigMapKeyRef != nil:
		values, err := p.configMap(from.ConfigMapKeyRef.Name, ptr.Deref(from.ConfigMapKeyRef.Optional, false))
		return key(values, err, from.ConfigMapKeyRef.Key, from.ConfigMapKeyRef.Optional)
	case from.SecretKeyRef != nil:
		values, err := p.secret(from.SecretKeyRef.Name, ptr.Deref(from.SecretKeyRef.Optional, false))
		return key(values, err, from.SecretKeyRef.Key, from.SecretKeyRef.Optional)
	}
	return "", false, fmt.Errorf("its source is not known here")
}

func key(values map[string]string, err error, name string, optional *bool) (string, bool, error) {
	value, found := values[name]
	if err == nil && !found && !ptr.Deref(optional, false) {
		err = fmt.Errorf("couldn't find key %s", name)
	}
	return value, found, err
}

func (p *Pod) field(path string) (string, error) {
	switch path {
	case "spec.nodeName":
		return p.node.Name, nil
	case "spec.serviceAccountName":
		return p.object.Spec.ServiceAccountName, nil
	case "status.hostIP", "status.hostIPs":
		return "127.0.0.1", nil
	case "status.podIP", "status.podIPs":
		return p.address, nil
	}
	return fieldpath.ExtractFieldPathAsString(p.object, path)
}

func (p *Pod) configMap(name string, optional bool) (map[string]string, error) {
	object, err := p.kubelet.client.CoreV1().ConfigMaps(p.namespace).Get(p.ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, missing(err, optional)
	}
	values := map[string]string{}
	for key, value := range object.Data {
		values[key] = value
	}
	for key, value := range object.BinaryData {
		values[key] = string(value)
	}
	return values, nil
}

func (p *Pod) secret(name string, optional bool) (map[string]string, error) {
	object, err := p.kubelet.client.CoreV1().Secrets(p.namespace).Get(p.ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, missing(err, optional)
	}
	values := map[string]string{}
	for key, value := range object.Data {
		values[key] = string(value)
	}
	return values, nil
}
