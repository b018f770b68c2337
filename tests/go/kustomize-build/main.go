// kustomize-build tells what a cluster would get from a rendered tree.
//
// It builds every Flux Kustomization that lies in the tree with the library and the calls of
// kustomize-controller (generate a kustomization.yaml where there is none, SecureBuild, strict
// post-build substitution) and prints one JSON line for each. With -all-folders it builds every
// folder that has a kustomization.yaml instead, as `kustomize build` does.
//
// What the controller adds while applying (spec.commonMetadata, its ownership labels) is not here.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	generator "github.com/fluxcd/pkg/kustomize"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// line is what was built from one Kustomization or one folder: objects, or why there are none.
type line struct {
	Kustomization string            `json:"kustomization,omitempty"`
	Folder        string            `json:"folder,omitempty"`
	Objects       []json.RawMessage `json:"objects"`
	Error         string            `json:"error,omitempty"`
}

func main() {
	root := flag.String("root", ".", "the rendered tree")
	prefix := flag.String("prefix", "", "what spec.path has before the tree: where the tree lies in its source")
	allFolders := flag.Bool("all-folders", false, "build every folder with a kustomization.yaml, as `kustomize build` does")
	flag.Parse()

	out := bufio.NewWriter(os.Stdout)
	if err := run(*root, *prefix, *allFolders, json.NewEncoder(out)); err != nil {
		fmt.Fprintln(os.Stderr, "kustomize-build:", err)
		os.Exit(1)
	}
	if err := out.Flush(); err != nil {
		os.Exit(1)
	}
}

func run(root, prefix string, allFolders bool, out *json.Encoder) error {
	if allFolders {
		return buildFolders(root, out)
	}
	// The generator writes into the folders that it builds: into a copy, as into the controller's unpacked artifact.
	scratch, err := os.MkdirTemp("", "kustomize-build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if scratch, err = filepath.EvalSymlinks(scratch); err != nil {
		return err
	}
	if err := os.CopyFS(scratch, os.DirFS(root)); err != nil {
		return err
	}
	kustomizations, err := fluxKustomizations(scratch)
	if err != nil {
		return err
	}
	for _, kustomization := range kustomizations {
		built := line{Kustomization: kustomization.GetName()}
		built.Objects, err = build(scratch, prefix, kustomization)
		if err != nil {
			built.Error = err.Error()
		}
		if err := out.Encode(built); err != nil {
			return err
		}
	}
	return nil
}

// build does what KustomizationReconciler.generate and build of kustomize-controller do.
func build(root, prefix string, kustomization unstructured.Unstructured) ([]json.RawMessage, error) {
	specPath, _, err := unstructured.NestedString(kustomization.Object, "spec", "path")
	if err != nil {
		return nil, err
	}
	inSource := path.Clean("/" + specPath)
	inTree, ok := strings.CutPrefix(inSource+"/", path.Clean("/"+prefix+"/")+"/")
	if prefix == "" || prefix == "." {
		inTree, ok = inSource, true
	}
	if !ok {
		return nil, fmt.Errorf("spec.path %q lies outside of %q", specPath, prefix)
	}
	from, _, err := unstructured.NestedSlice(kustomization.Object, "spec", "postBuild", "substituteFrom")
	if err != nil {
		return nil, err
	}
	if len(from) > 0 {
		return nil, errors.New("spec.postBuild.substituteFrom needs a cluster")
	}

	folder := filepath.Join(root, filepath.FromSlash(inTree))
	action, err := generator.NewGenerator(root, kustomization).WriteFile(folder, generator.WithSaveOriginalKustomization())
	if err != nil {
		return nil, err
	}
	defer generator.CleanDirectory(folder, action)
	resources, err := generator.SecureBuild(root, folder, false)
	if err != nil {
		return nil, fmt.Errorf("kustomize build failed: %w", err)
	}

	_, substitutes, err := unstructured.NestedMap(kustomization.Object, "spec", "postBuild")
	if err != nil {
		return nil, err
	}
	strategy, _, err := unstructured.NestedString(kustomization.Object, "spec", "postBuild", "substituteStrategy")
	if err != nil {
		return nil, err
	}
	for _, resource := range resources.Resources() {
		if resource.GetName() == "" || resource.GetKind() == "" || resource.GetApiVersion() == "" {
			return nil, fmt.Errorf("failed to decode Kubernetes apiVersion, kind and name from: %v", resource.String())
		}
		if !substitutes {
			continue
		}
		// A dry run reads no ConfigMap and no Secret; none is referred to.
		substituted, err := generator.SubstituteVariables(context.Background(), nil, kustomization, resource,
			generator.SubstituteWithDryRun(true),
			generator.SubstituteWithStrict(true),
			generator.SubstituteWithAlways(strategy == "Always"))
		if err != nil {
			return nil, fmt.Errorf("post build failed for '%s/%s': %w", resource.GetGvk(), resource.GetName(), err)
		}
		if substituted != nil {
			if _, err := resources.Replace(resource); err != nil {
				return nil, err
			}
		}
	}
	return objects(resources)
}

// objects reads the built YAML again as the controllers and kubectl do (YAML 1.1, by way of JSON).
func objects(resources resmap.ResMap) ([]json.RawMessage, error) {
	built := []json.RawMessage{}
	for _, resource := range resources.Resources() {
		text, err := resource.AsYAML()
		if err != nil {
			return nil, err
		}
		object, err := yaml.YAMLToJSON(text)
		if err != nil {
			return nil, err
		}
		built = append(built, object)
	}
	return built, nil
}

// fluxKustomizations are the Flux objects of that kind in the YAML files below root, in the files' order.
func fluxKustomizations(root string) ([]unstructured.Unstructured, error) {
	var found []unstructured.Unstructured
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || (filepath.Ext(file) != ".yaml" && filepath.Ext(file) != ".yml") {
			return err
		}
		opened, err := os.Open(file)
		if err != nil {
			return err
		}
		defer opened.Close()
		decoder := utilyaml.NewYAMLOrJSONDecoder(bufio.NewReader(opened), 4096)
		for {
			var object unstructured.Unstructured
			err := decoder.Decode(&object.Object)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			if object.GetKind() == "Kustomization" && strings.HasPrefix(object.GetAPIVersion(), "kustomize.toolkit.fluxcd.io/") {
				found = append(found, object)
			}
		}
	})
	return found, err
}

// buildFolders builds every folder below root that has a kustomization file.
func buildFolders(root string, out *json.Encoder) error {
	return filepath.WalkDir(root, func(folder string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || !isKustomizationRoot(folder) {
			return err
		}
		relative, err := filepath.Rel(root, folder)
		if err != nil {
			return err
		}
		built := line{Folder: filepath.ToSlash(relative)}
		resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
		if err == nil {
			built.Objects, err = objects(resources)
		}
		if err != nil {
			built.Error = err.Error()
		}
		return out.Encode(built)
	})
}

func isKustomizationRoot(folder string) bool {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		if info, err := os.Stat(filepath.Join(folder, name)); err == nil && !info.IsDir() {
			return true
		}
	}
	return false
}
