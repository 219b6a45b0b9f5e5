// image puts archives together as an image for several architectures, and takes images apart again.
//
//	image assemble --config config.json --layout folder [--push reference] amd64=base.tar,node.tar,program.tar arm64=...
//	image registry                                    a registry on loopback; prints its address
//	image unpack --from reference --arch amd64 --to root.tar [--config config.json]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/crane"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// settings is what the images of all architectures share.
type settings struct {
	Config      v1.Config         `json:"config"`
	Annotations map[string]string `json:"annotations"`
}

func main() {
	if len(os.Args) < 2 {
		fail(fmt.Errorf("one of assemble, registry, unpack is wanted"))
	}
	var err error
	switch os.Args[1] {
	case "assemble":
		err = assemble(os.Args[2:])
	case "registry":
		err = serve()
	case "unpack":
		err = unpack(os.Args[2:])
	default:
		err = fmt.Errorf("unknown command %q", os.Args[1])
	}
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "Error:", err)
	os.Exit(1)
}

func assemble(args []string) error {
	flags := flag.NewFlagSet("assemble", flag.ExitOnError)
	config := flags.String("config", "", "settings as JSON")
	folder := flags.String("layout", "", "folder to write an OCI layout to")
	push := flags.String("push", "", "reference to push to")
	if err := flags.Parse(args); err != nil {
		return err
	}
	text, err := os.ReadFile(*config)
	if err != nil {
		return err
	}
	var shared settings
	if err := json.Unmarshal(text, &shared); err != nil {
		return fmt.Errorf("%s: %w", *config, err)
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, argument := range flags.Args() {
		architecture, files, found := strings.Cut(argument, "=")
		if !found {
			return fmt.Errorf("%q: architecture=archive,… is wanted", argument)
		}
		image, err := imageOf(architecture, strings.Split(files, ","), shared)
		if err != nil {
			return fmt.Errorf("%s: %w", architecture, err)
		}
		platform := v1.Platform{OS: "linux", Architecture: architecture}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &platform}})
	}
	index = mutate.Annotations(index, shared.Annotations).(v1.ImageIndex)
	if *folder != "" {
		if _, err := layout.Write(*folder, index); err != nil {
			return err
		}
	}
	if *push != "" {
		reference, err := name.ParseReference(*push)
		if err != nil {
			return err
		}
		if err := remote.WriteIndex(reference, index, remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
			return err
		}
	}
	digest, err := index.Digest()
	if err != nil {
		return err
	}
	fmt.Println(digest)
	return nil
}

func imageOf(architecture string, files []string, shared settings) (v1.Image, error) {
	image := mutate.MediaType(empty.Image, types.OCIManifestSchema1)
	image = mutate.ConfigMediaType(image, types.OCIConfigJSON)
	for _, file := range files {
		layer, err := tarball.LayerFromFile(file, tarball.WithMediaType(types.OCILayer))
		if err != nil {
			return nil, err
		}
		image, err = mutate.Append(image, mutate.Addendum{Layer: layer, MediaType: types.OCILayer})
		if err != nil {
			return nil, err
		}
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS = "linux"
	config.Architecture = architecture
	config.Config = shared.Config
	image, err = mutate.ConfigFile(image, config)
	if err != nil {
		return nil, err
	}
	return mutate.Annotations(image, shared.Annotations).(v1.Image), nil
}

func serve() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr())
	return http.Serve(listener, registry.New())
}

func unpack(args []string) error {
	flags := flag.NewFlagSet("unpack", flag.ExitOnError)
	from := flags.String("from", "", "reference of the image")
	architecture := flags.String("arch", "amd64", "architecture")
	to := flags.String("to", "", "archive of the root file system to write")
	config := flags.String("config", "", "file to write the image's configuration to")
	if err := flags.Parse(args); err != nil {
		return err
	}
	image, err := crane.Pull(*from, crane.WithPlatform(&v1.Platform{OS: "linux", Architecture: *architecture}))
	if err != nil {
		return err
	}
	if *config != "" {
		text, err := image.RawConfigFile()
		if err != nil {
			return err
		}
		if err := os.WriteFile(*config, text, 0o644); err != nil {
			return err
		}
	}
	file, err := os.Create(*to)
	if err != nil {
		return err
	}
	if err := crane.Export(image, file); err != nil {
		return err
	}
	return file.Close()
}
