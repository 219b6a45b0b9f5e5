package keyless

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/binary"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/url"
	"strings"
	"time"

	"github.com/sigstore/sigstore-go/pkg/root"
)

// authority issues certificates as Fulcio does: an identity, its issuer, and the proof that a log has the certificate.
type authority struct {
	root, intermediate *x509.Certificate
	key                *ecdsa.PrivateKey
	log                *ecdsa.PrivateKey
}

var (
	issuerExtension   = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57264, 1, 1}
	issuerV2Extension = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 57264, 1, 8}
	sctExtension      = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 11129, 2, 4, 2}
)

func newAuthority() (*authority, error) {
	rootKey, err := newKey()
	if err != nil {
		return nil, err
	}
	template := authorityTemplate("root")
	rootCertificate, err := issue(template, template, rootKey.Public(), rootKey)
	if err != nil {
		return nil, err
	}
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	between := authorityTemplate("intermediate")
	between.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning}
	intermediate, err := issue(between, rootCertificate, key.Public(), rootKey)
	if err != nil {
		return nil, err
	}
	log, err := newKey()
	return &authority{rootCertificate, intermediate, key, log}, err
}

func authorityTemplate(name string) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	return &x509.Certificate{
		SerialNumber:          serial,
		Subject:               pkix.Name{Organization: []string{"tests"}, CommonName: name},
		NotBefore:             time.Now().Add(-24 * time.Hour),
		NotAfter:              time.Now().Add(24 * time.Hour),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
}

// certificate for an identity, valid for ten minutes from start.
func (a *authority) certificate(wanted Signature, public crypto.PublicKey, start time.Time) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		return nil, err
	}
	issuer, err := asn1.MarshalWithParams(wanted.Issuer, "utf8")
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: serial,
		NotBefore:    start,
		NotAfter:     start.Add(10 * time.Minute),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageCodeSigning},
		ExtraExtensions: []pkix.Extension{
			{Id: issuerExtension, Value: []byte(wanted.Issuer)},
			{Id: issuerV2Extension, Value: issuer},
		},
	}
	for id, value := range wanted.Extensions {
		var arcs asn1.ObjectIdentifier
		for _, part := range strings.Split(id, ".") {
			var arc int
			if _, err := fmt.Sscan(part, &arc); err != nil {
				return nil, err
			}
			arcs = append(arcs, arc)
		}
		text, err := asn1.MarshalWithParams(value, "utf8")
		if err != nil {
			return nil, err
		}
		template.ExtraExtensions = append(template.ExtraExtensions, pkix.Extension{Id: arcs, Value: text})
	}
	if strings.Contains(wanted.Subject, "://") {
		uri, err := url.Parse(wanted.Subject)
		if err != nil {
			return nil, err
		}
		template.URIs = []*url.URL{uri}
	} else {
		template.EmailAddresses = []string{wanted.Subject}
	}
	plain, err := issue(template, a.intermediate, public, a.key)
	if err != nil || wanted.NoSCT {
		return plain, err
	}
	// The log signs the certificate as it is without the proof.
	sct, err := a.sct(plain.RawTBSCertificate)
	if err != nil {
		return nil, err
	}
	template.ExtraExtensions = append(template.ExtraExtensions, pkix.Extension{Id: sctExtension, Value: sct})
	return issue(template, a.intermediate, public, a.key)
}

// sct is the value of the extension of RFC 6962, 3.3, with one timestamp.
func (a *authority) sct(tbs []byte) ([]byte, error) {
	now := uint64(time.Now().UnixMilli())
	issuer := sha256.Sum256(a.intermediate.RawSubjectPublicKeyInfo)
	signed := []byte{0, 0}
	signed = binary.BigEndian.AppendUint64(signed, now)
	signed = append(signed, 0, 1)
	signed = append(signed, issuer[:]...)
	signed = append(signed, byte(len(tbs)>>16), byte(len(tbs)>>8), byte(len(tbs)))
	signed = append(signed, tbs...)
	signed = append(signed, 0, 0)
	digest := sha256.Sum256(signed)
	signature, err := ecdsa.SignASN1(rand.Reader, a.log, digest[:])
	if err != nil {
		return nil, err
	}
	id, err := keyID(a.log.Public())
	if err != nil {
		return nil, err
	}
	sct := append([]byte{0}, id...)
	sct = binary.BigEndian.AppendUint64(sct, now)
	sct = append(sct, 0, 0, 4, 3)
	sct = binary.BigEndian.AppendUint16(sct, uint16(len(signature)))
	sct = append(sct, signature...)
	list := binary.BigEndian.AppendUint16(nil, uint16(len(sct)+2))
	list = binary.BigEndian.AppendUint16(list, uint16(len(sct)))
	return asn1.Marshal(append(list, sct...))
}

func (a *authority) trusted() root.CertificateAuthority {
	return &root.FulcioCertificateAuthority{
		Root:                a.root,
		Intermediates:       []*x509.Certificate{a.intermediate},
		ValidityPeriodStart: a.root.NotBefore,
		ValidityPeriodEnd:   a.root.NotAfter,
		URI:                 "https://fulcio.test",
	}
}

func (a *authority) trustedLog() (map[string]*root.TransparencyLog, error) {
	id, err := keyID(a.log.Public())
	if err != nil {
		return nil, err
	}
	return map[string]*root.TransparencyLog{hex.EncodeToString(id): {
		BaseURL:             "https://ct.test",
		ID:                  id,
		ValidityPeriodStart: a.root.NotBefore,
		ValidityPeriodEnd:   a.root.NotAfter,
		HashFunc:            crypto.SHA256,
		PublicKey:           a.log.Public(),
		SignatureHashFunc:   crypto.SHA256,
	}}, nil
}

func (a *authority) chainPEM() string {
	return certificatePEM(a.intermediate) + certificatePEM(a.root)
}

func keyID(public crypto.PublicKey) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return nil, err
	}
	id := sha256.Sum256(der)
	return id[:], nil
}

func newKey() (*ecdsa.PrivateKey, error) {
	return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
}

func issue(template, parent *x509.Certificate, public crypto.PublicKey, signer crypto.Signer) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, signer)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

func certificatePEM(certificate *x509.Certificate) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate.Raw}))
}

func publicPEM(public crypto.PublicKey) (string, error) {
	der, err := x509.MarshalPKIXPublicKey(public)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), err
}
