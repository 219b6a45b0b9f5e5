package keyless

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-openapi/runtime"
	"github.com/sigstore/rekor/pkg/generated/models"
	"github.com/sigstore/rekor/pkg/types"
	_ "github.com/sigstore/rekor/pkg/types/dsse/v0.0.1"
	_ "github.com/sigstore/rekor/pkg/types/hashedrekord/v0.0.1"
	_ "github.com/sigstore/rekor/pkg/types/intoto/v0.0.2"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
)

// Served is where an authority and a log are, and whom to trust.
type Served struct {
	URL string `json:"url"`
	Answer
}

// Serve answers as Fulcio (/api/v1/signingCert) and Rekor (/api/v1/log/entries) do, on one address, until standard input
// ends. It believes every identity token; entries are of the form that Rekor's own code gives them.
func Serve() error {
	issuer, err := newAuthority()
	if err != nil {
		return err
	}
	log, err := newLog()
	if err != nil {
		return err
	}
	sigstore, err := ca.NewVirtualSigstore()
	if err != nil {
		return err
	}
	s := signer{issuer, log, sigstore}
	answer, err := s.trust()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/v1/signingCert", answered(s.signingCert))
	mux.HandleFunc("POST /api/v1/log/entries", answered(s.logEntry))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }()
	if err := json.NewEncoder(os.Stdout).Encode(Served{"http://" + listener.Addr().String(), *answer}); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// answered sends what a handler makes of a request, or why it makes nothing.
func answered(handle func(*http.Request, http.Header) ([]byte, error)) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		body, err := handle(request, response.Header())
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			http.Error(response, err.Error(), http.StatusBadRequest)
			return
		}
		response.WriteHeader(http.StatusCreated)
		_, _ = response.Write(body)
	}
}

// signingCert issues a certificate to whoever shows a token and holds the key.
func (s *signer) signingCert(request *http.Request, header http.Header) ([]byte, error) {
	var wanted struct {
		PublicKey struct {
			Content []byte `json:"content"`
		} `json:"publicKey"`
		Proof []byte `json:"signedEmailAddress"`
	}
	if err := json.NewDecoder(request.Body).Decode(&wanted); err != nil {
		return nil, err
	}
	parts := strings.Split(strings.TrimPrefix(request.Header.Get("Authorization"), "Bearer "), ".")
	if len(parts) != 3 {
		return nil, errors.New("no identity token")
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return nil, err
	}
	var token struct {
		Issuer  string `json:"iss"`
		Subject string `json:"sub"`
		Email   string `json:"email"`
	}
	if err := json.Unmarshal(payload, &token); err != nil {
		return nil, err
	}
	subject := token.Subject
	if token.Email != "" {
		subject = token.Email
	}
	block, _ := pem.Decode(wanted.PublicKey.Content)
	if block == nil {
		return nil, errors.New("no public key")
	}
	public, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, isECDSA := public.(*ecdsa.PublicKey)
	digest := sha256.Sum256([]byte(subject))
	if !isECDSA || !ecdsa.VerifyASN1(key, digest[:], wanted.Proof) {
		return nil, errors.New("whoever asks does not hold the key")
	}
	certificate, err := s.authority.certificate(Signature{Subject: subject, Issuer: token.Issuer}, public, time.Now().Add(-time.Minute))
	if err != nil {
		return nil, err
	}
	header.Set("Content-Type", "application/pem-certificate-chain")
	return []byte(certificatePEM(certificate) + s.authority.chainPEM()), nil
}

// logEntry promises an entry, and proves it.
func (s *signer) logEntry(request *http.Request, header http.Header) ([]byte, error) {
	proposed, err := models.UnmarshalProposedEntry(request.Body, runtime.JSONConsumer())
	if err != nil {
		return nil, err
	}
	entry, err := types.UnmarshalEntry(proposed)
	if err != nil {
		return nil, err
	}
	body, err := types.CanonicalizeEntry(request.Context(), entry)
	if err != nil {
		return nil, err
	}
	made, err := s.log.entry(body, proposed.Kind(), true)
	if err != nil {
		return nil, err
	}
	proof := made.InclusionProof
	hashes := []string{}
	for _, each := range proof.Hashes {
		hashes = append(hashes, hex.EncodeToString(each))
	}
	leaf := sha256.Sum256(append([]byte{0}, body...))
	uuid := hex.EncodeToString(leaf[:])
	var answer bytes.Buffer
	err = json.NewEncoder(&answer).Encode(map[string]any{uuid: map[string]any{
		"body":           base64.StdEncoding.EncodeToString(body),
		"integratedTime": made.IntegratedTime,
		"logID":          hex.EncodeToString(s.log.id),
		"logIndex":       made.LogIndex,
		"verification": map[string]any{
			"signedEntryTimestamp": base64.StdEncoding.EncodeToString(made.InclusionPromise.SignedEntryTimestamp),
			"inclusionProof": map[string]any{
				"logIndex":   proof.LogIndex,
				"treeSize":   proof.TreeSize,
				"rootHash":   hex.EncodeToString(proof.RootHash),
				"hashes":     hashes,
				"checkpoint": proof.Checkpoint.Envelope,
			},
		},
	}})
	header.Set("Content-Type", "application/json")
	header.Set("ETag", uuid)
	header.Set("Location", "/api/v1/log/entries/"+uuid)
	return answer.Bytes(), err
}
