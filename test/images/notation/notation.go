// Package notation signs artifacts as the Notary Project's own tools do, with certificates made for it.
package notation

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"time"

	"github.com/digitorus/timestamp"
	"github.com/notaryproject/notation-core-go/signature"
	_ "github.com/notaryproject/notation-core-go/signature/cose"
	_ "github.com/notaryproject/notation-core-go/signature/jws"
	"github.com/notaryproject/tspclient-go"
)

// Request names signatures to make. Authorities are made when first named and kept in Folder.
type Request struct {
	Folder     string      `json:"folder"`
	Signatures []Signature `json:"signatures"`
}

// Signature is one envelope to make; times default to now, validity to ten years around it.
type Signature struct {
	Name      string          `json:"name"`
	Authority string          `json:"authority"`
	MediaType string          `json:"mediaType"`
	Key       string          `json:"key"`
	Scheme    string          `json:"scheme"`
	Target    json.RawMessage `json:"target"`
	NotBefore time.Time       `json:"notBefore"`
	NotAfter  time.Time       `json:"notAfter"`
	SignedAt  time.Time       `json:"signedAt"`
	ExpiresAt time.Time       `json:"expiresAt"`
	// Authority of the timestamp; none without.
	Timestamp string `json:"timestamp"`
	// Critical attribute that no verifier knows.
	Critical string `json:"critical"`
}

// Answer has a PEM certificate per authority and an envelope (base64) per signature.
type Answer struct {
	Authorities map[string]string `json:"authorities"`
	Envelopes   map[string][]byte `json:"envelopes"`
}

type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

type maker struct {
	folder      string
	authorities map[string]authority
}

// Run answers the request on standard input.
func Run() error {
	var request Request
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		return err
	}
	m := maker{folder: request.Folder, authorities: map[string]authority{}}
	answer := Answer{Authorities: map[string]string{}, Envelopes: map[string][]byte{}}
	for _, wanted := range request.Signatures {
		envelope, err := m.sign(wanted)
		if err != nil {
			return fmt.Errorf("%s: %w", wanted.Name, err)
		}
		answer.Envelopes[wanted.Name] = envelope
	}
	for name, each := range m.authorities {
		answer.Authorities[name] = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: each.certificate.Raw}))
	}
	return json.NewEncoder(os.Stdout).Encode(answer)
}

func (m *maker) sign(wanted Signature) ([]byte, error) {
	ca, err := m.authority(wanted.Authority)
	if err != nil {
		return nil, err
	}
	key, err := newKey(wanted.Key)
	if err != nil {
		return nil, err
	}
	now := time.Now().UTC()
	leaf := certificateTemplate("signer of " + wanted.Authority)
	leaf.KeyUsage = x509.KeyUsageDigitalSignature
	leaf.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning}
	if !wanted.NotBefore.IsZero() {
		leaf.NotBefore = wanted.NotBefore
	}
	if !wanted.NotAfter.IsZero() {
		leaf.NotAfter = wanted.NotAfter
	}
	certificate, err := issue(leaf, ca.certificate, key.Public(), ca.key)
	if err != nil {
		return nil, err
	}
	signer, err := signature.NewLocalSigner([]*x509.Certificate{certificate, ca.certificate}, key)
	if err != nil {
		return nil, err
	}
	payload, err := json.Marshal(map[string]json.RawMessage{"targetArtifact": wanted.Target})
	if err != nil {
		return nil, err
	}
	request := &signature.SignRequest{
		Payload:       signature.Payload{ContentType: "application/vnd.cncf.notary.payload.v1+json", Content: payload},
		Signer:        signer,
		SigningTime:   now,
		Expiry:        wanted.ExpiresAt,
		SigningAgent:  "tests",
		SigningScheme: signature.SigningSchemeX509,
	}
	if wanted.Scheme != "" {
		request.SigningScheme = signature.SigningScheme(wanted.Scheme)
	}
	if !wanted.SignedAt.IsZero() {
		request.SigningTime = wanted.SignedAt
	}
	if wanted.Critical != "" {
		request.ExtendedSignedAttributes = []signature.Attribute{{Key: wanted.Critical, Critical: true, Value: "x"}}
	}
	if wanted.Timestamp != "" {
		tsa, err := m.authority(wanted.Timestamp)
		if err != nil {
			return nil, err
		}
		request.Timestamper = &timestamper{authority: tsa, at: request.SigningTime}
		request.TSARootCAs = x509.NewCertPool()
		request.TSARootCAs.AddCert(tsa.certificate)
	}
	envelope, err := signature.NewEnvelope(wanted.MediaType)
	if err != nil {
		return nil, err
	}
	return envelope.Sign(request)
}

func (m *maker) authority(name string) (authority, error) {
	if found, ok := m.authorities[name]; ok {
		return found, nil
	}
	made, err := m.load(name)
	if err != nil {
		return authority{}, err
	}
	if made == nil {
		if made, err = m.create(name); err != nil {
			return authority{}, err
		}
	}
	m.authorities[name] = *made
	return *made, nil
}

func (m *maker) load(name string) (*authority, error) {
	text, err := os.ReadFile(filepath.Join(m.folder, name+".pem"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	first, rest := pem.Decode(text)
	second, _ := pem.Decode(rest)
	certificate, err := x509.ParseCertificate(first.Bytes)
	if err != nil {
		return nil, err
	}
	key, err := x509.ParseECPrivateKey(second.Bytes)
	return &authority{certificate, key}, err
}

func (m *maker) create(name string) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := certificateTemplate(name)
	template.IsCA = true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	certificate, err := issue(template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw})
	text = append(text, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private})...)
	return &authority{certificate, key}, os.WriteFile(filepath.Join(m.folder, name+".pem"), text, 0o600)
}

func certificateTemplate(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	now := time.Now()
	return &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{Country: []string{"DE"}, Organization: []string{"Tests"}, CommonName: name},
		NotBefore:             now.AddDate(-10, 0, 0),
		NotAfter:              now.AddDate(40, 0, 0),
		BasicConstraintsValid: true,
	}
}

func issue(template, parent *x509.Certificate, public crypto.PublicKey, signer crypto.Signer) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, signer)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

func newKey(kind string) (crypto.Signer, error) {
	switch kind {
	case "", "ec256":
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case "ec384":
		return ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case "ec521":
		return ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	case "rsa2048":
		return rsa.GenerateKey(rand.Reader, 2048)
	case "rsa3072":
		return rsa.GenerateKey(rand.Reader, 3072)
	case "rsa4096":
		return rsa.GenerateKey(rand.Reader, 4096)
	}
	return nil, fmt.Errorf("no key of kind %q", kind)
}

// timestamper answers like a timestamp authority whose clock stands still.
type timestamper struct {
	authority authority
	at        time.Time
}

func (t *timestamper) Timestamp(_ context.Context, request *tspclient.Request) (*tspclient.Response, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	template := certificateTemplate("timestamps")
	template.KeyUsage = x509.KeyUsageDigitalSignature
	usage, err := asn1.Marshal([]asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 8}})
	if err != nil {
		return nil, err
	}
	template.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Critical: true, Value: usage}}
	certificate, err := issue(template, t.authority.certificate, key.Public(), t.authority.key)
	if err != nil {
		return nil, err
	}
	hash := map[string]crypto.Hash{"2.16.840.1.101.3.4.2.1": crypto.SHA256, "2.16.840.1.101.3.4.2.2": crypto.SHA384, "2.16.840.1.101.3.4.2.3": crypto.SHA512}
	stamp := timestamp.Timestamp{
		HashAlgorithm:     hash[request.MessageImprint.HashAlgorithm.Algorithm.String()],
		HashedMessage:     request.MessageImprint.HashedMessage,
		Time:              t.at,
		Accuracy:          time.Second,
		Nonce:             request.Nonce,
		Policy:            asn1.ObjectIdentifier{1, 2, 3, 4, 1},
		AddTSACertificate: true,
		Certificates:      []*x509.Certificate{t.authority.certificate},
	}
	answer, err := stamp.CreateResponseWithOpts(certificate, key, crypto.SHA256)
	if err != nil {
		return nil, err
	}
	var response tspclient.Response
	return &response, response.UnmarshalBinary(answer)
}
