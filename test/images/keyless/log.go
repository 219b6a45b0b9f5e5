package keyless

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	commonpb "github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	rekorpb "github.com/sigstore/protobuf-specs/gen/pb-go/rekor/v1"
	"github.com/sigstore/sigstore-go/pkg/root"
)

// transparencyLog makes entries as Rekor does: with a promise, and with a proof in a tree of two.
type transparencyLog struct {
	key *ecdsa.PrivateKey
	id  []byte
}

const origin = "rekor.test - 1"

func newLog() (*transparencyLog, error) {
	key, err := newKey()
	if err != nil {
		return nil, err
	}
	id, err := keyID(key.Public())
	return &transparencyLog{key, id}, err
}

func (l *transparencyLog) trusted() map[string]*root.TransparencyLog {
	return map[string]*root.TransparencyLog{hex.EncodeToString(l.id): {
		BaseURL:             "https://rekor.test",
		ID:                  l.id,
		ValidityPeriodStart: time.Now().Add(-24 * time.Hour),
		ValidityPeriodEnd:   time.Now().Add(24 * time.Hour),
		HashFunc:            crypto.SHA256,
		PublicKey:           l.key.Public(),
		SignatureHashFunc:   crypto.SHA256,
	}}
}

// hashedRekord is the body of the entry of a signature over a digest.
func hashedRekord(digest []byte, signature, certificate string) ([]byte, error) {
	return json.Marshal(map[string]any{
		"apiVersion": "0.0.1",
		"kind":       "hashedrekord",
		"spec": map[string]any{
			"data": map[string]any{"hash": hash(digest)},
			"signature": map[string]any{
				"content":   signature,
				"publicKey": map[string]any{"content": base64.StdEncoding.EncodeToString([]byte(certificate))},
			},
		},
	})
}

// dsseRecord is the body of the entry of an envelope.
func dsseRecord(envelope, payload []byte, signature, certificate string) ([]byte, error) {
	envelopeDigest := sha256.Sum256(envelope)
	payloadDigest := sha256.Sum256(payload)
	return json.Marshal(map[string]any{
		"apiVersion": "0.0.1",
		"kind":       "dsse",
		"spec": map[string]any{
			"envelopeHash": hash(envelopeDigest[:]),
			"payloadHash":  hash(payloadDigest[:]),
			"signatures": []any{map[string]any{
				"signature": signature,
				"verifier":  base64.StdEncoding.EncodeToString([]byte(certificate)),
			}},
		},
	})
}

func hash(digest []byte) map[string]any {
	return map[string]any{"algorithm": "sha256", "value": hex.EncodeToString(digest)}
}

func (l *transparencyLog) entry(body []byte, kind string, proven bool) (*rekorpb.TransparencyLogEntry, error) {
	const index = 1
	now := time.Now().Unix()
	promised := fmt.Sprintf(`{"body":%q,"integratedTime":%d,"logID":%q,"logIndex":%d}`,
		base64.StdEncoding.EncodeToString(body), now, hex.EncodeToString(l.id), index)
	promise, err := l.sign([]byte(promised))
	if err != nil {
		return nil, err
	}
	entry := &rekorpb.TransparencyLogEntry{
		LogIndex:          index,
		LogId:             &commonpb.LogId{KeyId: l.id},
		KindVersion:       &rekorpb.KindVersion{Kind: kind, Version: "0.0.1"},
		IntegratedTime:    now,
		InclusionPromise:  &rekorpb.InclusionPromise{SignedEntryTimestamp: promise},
		CanonicalizedBody: body,
	}
	if !proven {
		return entry, nil
	}
	first := sha256.Sum256([]byte("\x00first entry"))
	leaf := sha256.Sum256(append([]byte{0}, body...))
	tree := sha256.Sum256(append(append([]byte{1}, first[:]...), leaf[:]...))
	note := fmt.Sprintf("%s\n2\n%s\n", origin, base64.StdEncoding.EncodeToString(tree[:]))
	signature, err := l.sign([]byte(note))
	if err != nil {
		return nil, err
	}
	named := base64.StdEncoding.EncodeToString(append(append([]byte{}, l.id[:4]...), signature...))
	entry.InclusionProof = &rekorpb.InclusionProof{
		LogIndex:   index,
		RootHash:   tree[:],
		TreeSize:   2,
		Hashes:     [][]byte{first[:]},
		Checkpoint: &rekorpb.Checkpoint{Envelope: fmt.Sprintf("%s\n\u2014 rekor.test %s\n", note, named)},
	}
	return entry, nil
}

func (l *transparencyLog) sign(message []byte) ([]byte, error) {
	digest := sha256.Sum256(message)
	return ecdsa.SignASN1(rand.Reader, l.key, digest[:])
}
