// Answers, for each JSON line {"id","yaml"} on stdin, how Go reads the YAML:
// {"id","json","error"} as sigs.k8s.io/yaml does (YAML 1.1, the API server's and Helm's reader)
// and "v3" as go-yaml v3 does (kustomize's), empty where that fails.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	v3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"
)

type question struct {
	ID   string `json:"id"`
	YAML string `json:"yaml"`
}

type answer struct {
	ID    string `json:"id"`
	JSON  string `json:"json"`
	Error string `json:"error"`
	V3    string `json:"v3"`
}

func main() {
	in := json.NewDecoder(bufio.NewReader(os.Stdin))
	buffered := bufio.NewWriter(os.Stdout)
	defer buffered.Flush()
	out := json.NewEncoder(buffered)
	for in.More() {
		var q question
		if err := in.Decode(&q); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		a := answer{ID: q.ID}
		if read, err := yaml.YAMLToJSON([]byte(q.YAML)); err != nil {
			a.Error = err.Error()
		} else {
			a.JSON = string(read)
		}
		var value any
		if v3.Unmarshal([]byte(q.YAML), &value) == nil {
			if read, err := json.Marshal(value); err == nil {
				a.V3 = string(read)
			}
		}
		if err := out.Encode(a); err != nil {
			os.Exit(1)
		}
	}
}
