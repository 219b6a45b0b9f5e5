// Package keyless signs as cosign does with an identity in place of a key: a certificate of an authority like Fulcio, an
// entry of a log like Rekor with its proofs, and a timestamp of sigstore-go's authority for tests.
package keyless

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	bundlepb "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"
	commonpb "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	dssepb "github.com/sigstore/protobuf-specs/gen/pb-go/dsse"
	rekorpb "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"google.golang.org/protobuf/encoding/protojson"
)

// Request names signatures to make; all share one set of authorities.
type Request struct {
	Signatures []Signature `json:"signatures"`
}

// Signature is one signature to make.
type Signature struct {
	Name    string `json:"name"`
	Subject string `json:"subject"`
	Issuer  string `json:"issuer"`
	// Further extensions of the certificate by object identifier.
	Extensions map[string]string `json:"extensions"`
	// What is signed: as it is, or as the payload of a DSSE envelope.
	Payload []byte `json:"payload"`
	DSSE    bool   `json:"dsse"`
	NoSCT   bool   `json:"noSCT"`
	NoLog   bool   `json:"noLog"`
	NoProof bool   `json:"noProof"`
	// Without, there is none.
	Timestamp bool `json:"timestamp"`
	// Seconds from now at which the certificate's ten minutes start.
	Start int `json:"start"`
}

// Signed is what belongs to one signature: the parts that the older format keeps in annotations, and the bundle.
type Signed struct {
	Bundle      json.RawMessage `json:"bundle"`
	Signature   string          `json:"signature"`
	Envelope    json.RawMessage `json:"envelope,omitempty"`
	Certificate string          `json:"certificate"`
	Chain       string          `json:"chain"`
	RekorBundle json.RawMessage `json:"rekorBundle,omitempty"`
	Timestamp   string          `json:"timestamp,omitempty"`
}

// Answer has the roots of trust beside the signatures.
type Answer struct {
	TrustedRoot json.RawMessage   `json:"trustedRoot"`
	Roots       string            `json:"roots"`
	RekorKey    string            `json:"rekorKey"`
	CTLogKey    string            `json:"ctlogKey"`
	TSAChain    string            `json:"tsaChain"`
	Signatures  map[string]Signed `json:"signatures"`
}

type signer struct {
	authority *authority
	log       *transparencyLog
	sigstore  *ca.VirtualSigstore
}

// Run answers the request on standard input.
func Run() error {
	var request Request
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		return err
	}
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
	for _, wanted := range request.Signatures {
		signed, err := s.sign(wanted)
		if err != nil {
			return fmt.Errorf("%s: %w", wanted.Name, err)
		}
		answer.Signatures[wanted.Name] = *signed
	}
	return json.NewEncoder(os.Stdout).Encode(answer)
}

func (s *signer) trust() (*Answer, error) {
	logs, err := s.authority.trustedLog()
	if err != nil {
		return nil, err
	}
	answer := &Answer{Roots: s.authority.chainPEM(), Signatures: map[string]Signed{}}
	if answer.RekorKey, err = publicPEM(s.log.key.Public()); err != nil {
		return nil, err
	}
	if answer.CTLogKey, err = publicPEM(s.authority.log.Public()); err != nil {
		return nil, err
	}
	tsa := s.sigstore.TimestampingAuthorities()
	for _, each := range tsa {
		authority := each.(*root.SigstoreTimestampingAuthority)
		answer.TSAChain += certificatePEM(authority.Leaf)
		for _, intermediate := range authority.Intermediates {
			answer.TSAChain += certificatePEM(intermediate)
		}
		answer.TSAChain += certificatePEM(authority.Root)
	}
	trusted, err := root.NewTrustedRoot(root.TrustedRootMediaType01, []root.CertificateAuthority{s.authority.trusted()}, logs, tsa, s.log.trusted())
	if err != nil {
		return nil, err
	}
	answer.TrustedRoot, err = trusted.MarshalJSON()
	return answer, err
}

func (s *signer) sign(wanted Signature) (*Signed, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	start := time.Now().Add(time.Duration(wanted.Start)*time.Second - time.Minute)
	certificate, err := s.authority.certificate(wanted, key.Public(), start)
	if err != nil {
		return nil, err
	}
	const payloadType = "application/vnd.in-toto+json"
	message := wanted.Payload
	if wanted.DSSE {
		message = dsse.PAE(payloadType, wanted.Payload)
	}
	digest := sha256.Sum256(message)
	signature, err := ecdsa.SignASN1(rand.Reader, key, digest[:])
	if err != nil {
		return nil, err
	}
	signed := &Signed{
		Signature:   base64.StdEncoding.EncodeToString(signature),
		Certificate: certificatePEM(certificate),
		Chain:       s.authority.chainPEM(),
	}
	material := &bundlepb.VerificationMaterial{
		Content: &bundlepb.VerificationMaterial_Certificate{Certificate: &commonpb.X509Certificate{RawBytes: certificate.Raw}},
	}
	bundle := &bundlepb.Bundle{MediaType: "application/vnd.dev.sigstore.bundle.v0.3+json", VerificationMaterial: material}
	kind := "hashedrekord"
	var body []byte
	if wanted.DSSE {
		kind = "dsse"
		envelope := &dsse.Envelope{
			PayloadType: payloadType,
			Payload:     base64.StdEncoding.EncodeToString(wanted.Payload),
			Signatures:  []dsse.Signature{{Sig: signed.Signature}},
		}
		if signed.Envelope, err = json.Marshal(envelope); err != nil {
			return nil, err
		}
		bundle.Content = &bundlepb.Bundle_DsseEnvelope{DsseEnvelope: &dssepb.Envelope{
			Payload:     wanted.Payload,
			PayloadType: payloadType,
			Signatures:  []*dssepb.Signature{{Sig: signature}},
		}}
		body, err = dsseRecord(signed.Envelope, wanted.Payload, signed.Signature, signed.Certificate)
	} else {
		bundle.Content = &bundlepb.Bundle_MessageSignature{MessageSignature: &commonpb.MessageSignature{
			MessageDigest: &commonpb.HashOutput{Algorithm: commonpb.HashAlgorithm_SHA2_256, Digest: digest[:]},
			Signature:     signature,
		}}
		body, err = hashedRekord(digest[:], signed.Signature, signed.Certificate)
	}
	if err != nil {
		return nil, err
	}
	if !wanted.NoLog {
		entry, err := s.log.entry(body, kind, !wanted.NoProof)
		if err != nil {
			return nil, err
		}
		material.TlogEntries = []*rekorpb.TransparencyLogEntry{entry}
		if signed.RekorBundle, err = rekorBundle(entry); err != nil {
			return nil, err
		}
	}
	if wanted.Timestamp {
		token, err := s.sigstore.TimestampResponse(signature)
		if err != nil {
			return nil, err
		}
		signed.Timestamp = base64.StdEncoding.EncodeToString(token)
		material.TimestampVerificationData = &bundlepb.TimestampVerificationData{
			Rfc3161Timestamps: []*commonpb.RFC3161SignedTimestamp{{SignedTimestamp: token}},
		}
	}
	signed.Bundle, err = protojson.Marshal(bundle)
	return signed, err
}

// rekorBundle is the entry as the older format keeps it in an annotation.
func rekorBundle(entry *rekorpb.TransparencyLogEntry) (json.RawMessage, error) {
	return json.Marshal(map[string]any{
		"SignedEntryTimestamp": entry.GetInclusionPromise().GetSignedEntryTimestamp(),
		"Payload": map[string]any{
			"body":           base64.StdEncoding.EncodeToString(entry.GetCanonicalizedBody()),
			"integratedTime": entry.GetIntegratedTime(),
			"logIndex":       entry.GetLogIndex(),
			"logID":          hex.EncodeToString(entry.GetLogId().GetKeyId()),
		},
	})
}
