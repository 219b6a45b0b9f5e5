// Package registries serves image registries on loopback until its standard input ends.
package registries

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/distribution/distribution/v3/configuration"
	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	_ "github.com/distribution/distribution/v3/registry/auth/token"
	"github.com/distribution/distribution/v3/registry/handlers"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/inmemory"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/sirupsen/logrus"
)

// Address is loopback, but not the one that API servers of tests have: those are never taken for registries.
const Address = "127.0.0.2"

// Registry is one registry to serve. Kind is "distribution" (tags only) or "referrers".
type Registry struct {
	Name string             `json:"name"`
	Kind string             `json:"kind"`
	Auth configuration.Auth `json:"auth"`
}

// Run reads the list of registries from the first line of standard input, answers with their addresses by name, and
// serves until standard input ends.
func Run() error {
	var wanted []Registry
	input := json.NewDecoder(os.Stdin)
	if err := input.Decode(&wanted); err != nil {
		return err
	}
	logrus.SetOutput(io.Discard)
	addresses := map[string]string{}
	for _, each := range wanted {
		handler, err := handlerOf(each)
		if err != nil {
			return fmt.Errorf("%s: %w", each.Name, err)
		}
		listener, err := net.Listen("tcp", Address+":0")
		if err != nil {
			return err
		}
		addresses[each.Name] = listener.Addr().String()
		server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
		go func() {
			if err := server.Serve(listener); err != nil {
				log.Fatal(err)
			}
		}()
	}
	if err := json.NewEncoder(os.Stdout).Encode(addresses); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

func handlerOf(wanted Registry) (http.Handler, error) {
	switch wanted.Kind {
	case "referrers":
		return withArtifactTypes(registry.New(registry.WithReferrersSupport(true), registry.Logger(log.New(io.Discard, "", 0)))), nil
	case "distribution":
		config := &configuration.Configuration{
			Version: configuration.CurrentVersion,
			Storage: configuration.Storage{"inmemory": nil, "delete": {"enabled": true}},
			Auth:    wanted.Auth,
		}
		config.Log.Level = "panic"
		config.HTTP.Secret = "tests"
		return handlers.NewApp(context.Background(), config), nil
	}
	return nil, fmt.Errorf("no registry of kind %q", wanted.Kind)
}
