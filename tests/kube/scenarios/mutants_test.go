package scenarios

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// schemaNode is what the generator of mutants needs of the definition's schema.
type schemaNode struct {
	Type       string                 `json:"type"`
	Properties map[string]*schemaNode `json:"properties"`
	Items      *schemaNode            `json:"items"`
	Map        *schemaNode            `json:"additionalProperties"`
	Open       bool                   `json:"x-kubernetes-preserve-unknown-fields"`
	Enum       []string               `json:"enum"`
	Minimum    *int64                 `json:"minimum"`
	Maximum    *int64                 `json:"maximum"`
	MaxLength  int                    `json:"maxLength"`
	MaxItems   int                    `json:"maxItems"`
	Pattern    string                 `json:"pattern"`
}

// mutant is a good document with one thing changed.
type mutant struct {
	what     string
	document map[string]any
}

// missing stands for a value that is taken out.
type missing struct{}

var decimals = []any{"0", "-0", "-1", "1", "0.5", "0.999", "1.0", "1e99", "1e-99", "1E5", "1e+5", "1e100", "+1", ".5", "1.", "01", "0x1",
	"1_0", " 1", "1 ", "1\n", "NaN", "Infinity", "1e", "e5", "", "١", strings.Repeat("1", 32), strings.Repeat("1", 33)}

func stringOf(letter string, length int) string { return strings.Repeat(letter, length) }

// values are those that stand at the edges of what a schema allows, and of other types.
func (n *schemaNode) values() []any {
	values := []any{missing{}, nil, "text", 1.5, true, map[string]any{"unknown": 1}, []any{"x"}}
	switch {
	case n.Type == "integer":
		for _, bound := range []*int64{n.Minimum, n.Maximum} {
			if bound != nil {
				values = append(values, *bound-1, *bound, *bound+1)
			}
		}
	case len(n.Enum) > 0:
		for _, each := range n.Enum {
			values = append(values, each, strings.ToUpper(each))
		}
	case n.Type == "string" && n.MaxLength == 32:
		values = append(values, decimals...)
	case n.Type == "string" && n.MaxLength > 0:
		values = append(values, "", stringOf("a", n.MaxLength), stringOf("a", n.MaxLength+1), stringOf("é", n.MaxLength), stringOf("é", n.MaxLength+1))
	case n.Type == "boolean":
		values = append(values, false, "true")
	case n.Type == "array":
		values = append(values, []any{})
	case n.Type == "object":
		values = append(values, map[string]any{}, map[string]any{"a": nil})
	}
	return values
}

// mutate calls try with every change of the value at a place that is not in seen yet.
func (n *schemaNode) mutate(place string, value any, seen map[string]bool, try func(what string, value any)) {
	if !seen[place] {
		seen[place] = true
		for _, each := range n.values() {
			try(fmt.Sprintf("%s = %.40v", place, shownValue(each)), each)
		}
	}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(n.Properties)) {
			property, child := n.Properties[name], value[name]
			property.mutate(place+"."+name, child, seen, func(what string, changed any) {
				try(what, withField(value, name, changed))
			})
		}
		if !n.Open && len(n.Properties) > 0 && !seen[place+".unknown"] {
			seen[place+".unknown"] = true
			try(place+".unknown = 1", withField(value, "unknown", 1))
		}
	case []any:
		n.mutateList(place, value, seen, try)
	}
}

func (n *schemaNode) mutateList(place string, list []any, seen map[string]bool, try func(what string, value any)) {
	if len(list) == 0 {
		return
	}
	for i := range list {
		n.Items.mutate(place+"[]", list[i], seen, func(what string, changed any) {
			fresh := append([]any{}, list...)
			fresh[i] = changed
			if _, gone := changed.(missing); gone {
				fresh = append(fresh[:i], fresh[i+1:]...)
			}
			try(what, fresh)
		})
	}
	for _, length := range []int{n.MaxItems, n.MaxItems + 1} {
		long := make([]any, length)
		for i := range long {
			long[i] = list[0]
		}
		if what := fmt.Sprintf("%s of length %d", place, length); !seen[what] {
			seen[what] = true
			try(what, long)
		}
	}
}

func shownValue(value any) any {
	if _, gone := value.(missing); gone {
		return "(absent)"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return value
	}
	return string(text)
}

func withField(object map[string]any, name string, value any) map[string]any {
	fresh := map[string]any{}
	for key, each := range object {
		fresh[key] = each
	}
	fresh[name] = value
	if _, gone := value.(missing); gone {
		delete(fresh, name)
	}
	return fresh
}

// specSchema is that of spec in what `sumac crd` prints.
func specSchema(t *testing.T) *schemaNode {
	t.Helper()
	text, err := exec.Command(filepath.Join(*bin, "sumac"), "crd").Output()
	if err != nil {
		t.Fatal("sumac crd:", err)
	}
	var definition struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema schemaNode `json:"openAPIV3Schema"`
				} `json:"schema"`
			} `json:"versions"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(text, &definition); err != nil {
		t.Fatal(err)
	}
	return definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
}

func mutants(t *testing.T) []mutant {
	t.Helper()
	schema, seen := specSchema(t), map[string]bool{}
	var all []mutant
	for _, file := range documents(t, "tests/data/job/good") {
		var document map[string]any
		if err := yaml.Unmarshal([]byte(asUsersWriteIt(t, file)), &document); err != nil {
			t.Fatal(err)
		}
		schema.mutate("spec", document["spec"], seen, func(what string, value any) {
			all = append(all, mutant{filepath.Base(file) + ": " + what, withField(document, "spec", value)})
		})
	}
	return all
}

// What the local reader says beyond the schema: about layers, shapes and the zoo.
var aboutMeaning = regexp.MustCompile(`spec\.model\.layers: (layer|network|no layer)|: (there is no network|the (model|text network) |these data have \d+ classes|` +
	`only used with a text model|sumOverTime is only used with a text model|found \d+, must be >= spec\.data\.generated)|` +
	`but the (data|training text) has only|images and classes fit into|the image's shorter side|available yet`)

// locally returns what the local reader finds wrong with the schema of a document, and with the rest. It reads a
// number for a decimal, and says that the API server will not.
func locally(t *testing.T, document []byte) (schema, meaning []string) {
	t.Helper()
	command := exec.Command(filepath.Join(*bin, "sumac"), "validate", "-")
	command.Stdin = bytes.NewReader(document)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	_ = command.Run() // its output says the same
	for line := range strings.Lines(stderr.String()) {
		switch {
		case strings.Contains(line, "refuses it without quotes"):
			schema = append(schema, line)
		case !strings.HasPrefix(line, "<stdin>"):
		case aboutMeaning.MatchString(line):
			meaning = append(meaning, line)
		default:
			schema = append(schema, line)
		}
	}
	return schema, meaning
}

// Both readers get the same documents, each a good one with one value at an edge, of another type, or
// absent: they must agree about each.
func TestBothReadersAgreeAboutEveryField(t *testing.T) {
	s := begin(t)
	jobs := s.jobs()
	all := mutants(t)
	if *set == "core" { // one of each few: a field has about as many
		const apart = 4
		few := all[:0:0]
		for i := 0; i < len(all); i += apart {
			few = append(few, all[i])
		}
		all = few
	}
	work := make(chan mutant)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for each := range work {
				text, err := json.Marshal(each.document)
				if err != nil {
					t.Error(err)
					continue
				}
				schema, _ := locally(t, text)
				object := &unstructured.Unstructured{}
				if err := object.UnmarshalJSON(text); err != nil {
					t.Error(err)
					continue
				}
				_, err = jobs.Create(s.ctx, object, metav1.CreateOptions{DryRun: []string{"All"}, FieldValidation: "Strict"})
				switch {
				case err != nil && !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err):
					t.Errorf("%s: that is no judgement: %v", each.what, err)
				case err == nil && len(schema) > 0:
					t.Errorf("%s: the API server accepts it, the local reader says %s", each.what, schema)
				case err != nil && len(schema) == 0:
					t.Errorf("%s: the local reader accepts it, the API server says %v", each.what, err)
				}
			}
		})
	}
	for _, each := range all {
		work <- each
	}
	close(work)
	workers.Wait()
	t.Logf("%d documents were judged", len(all))
}
