// Program main is a plug-in of a key service, by Sigstore's own handler of the protocol: it serves the public keys of a folder.
package main

import (
	"context"
	"crypto"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/sigstore/sigstore/pkg/signature/kms/cliplugin/common"
	"github.com/sigstore/sigstore/pkg/signature/kms/cliplugin/handler"
)

var errNotServed = errors.New("only public keys are served")

// folder serves `<name>.pub` for the key `/<name>`.
type folder struct{ path, key string }

func (f folder) PublicKey(...signature.PublicKeyOption) (crypto.PublicKey, error) {
	if f.path == "" {
		return nil, errors.New("TEST_KEYS is not set")
	}
	pem, err := os.ReadFile(filepath.Join(f.path, filepath.Base(f.key)+".pub"))
	if err != nil {
		return nil, errors.New("no such key")
	}
	return cryptoutils.UnmarshalPEMToPublicKey(pem)
}

func (folder) SignMessage(io.Reader, ...signature.SignOption) ([]byte, error) {
	return nil, errNotServed
}

func (folder) VerifySignature(io.Reader, io.Reader, ...signature.VerifyOption) error {
	return errNotServed
}

func (folder) CreateKey(context.Context, string) (crypto.PublicKey, error) { return nil, errNotServed }

func (folder) CryptoSigner(context.Context, func(error)) (crypto.Signer, crypto.SignerOpts, error) {
	return nil, nil, errNotServed
}

func (folder) SupportedAlgorithms() []string { return nil }

func (folder) DefaultAlgorithm() string { return "" }

func main() {
	if len(os.Args) < 2 || os.Args[1] != common.ProtocolVersion {
		fail(errors.New("another version of the protocol"))
	}
	args, err := handler.GetPluginArgs(os.Args)
	if err != nil {
		fail(err)
	}
	if args.InitOptions.HashFunc != crypto.SHA256 {
		fail(errors.New("another hash"))
	}
	if _, err := handler.Dispatch(os.Stdout, os.Stdin, args, folder{path: os.Getenv("TEST_KEYS"), key: args.InitOptions.KeyResourceID}); err != nil {
		fail(err)
	}
}

func fail(err error) {
	_ = handler.WriteErrorResponse(os.Stdout, err)
	os.Exit(1)
}
