// Cosign's own commands that tests sign with, without those that only verify and without the SDKs of clouds: what is left
// compiles in a fraction of the time. Flags and their meaning are cosign's.
package main

import (
	"os"

	"github.com/sigstore/cosign/v3/cmd/cosign/cli/attest"
	"github.com/sigstore/cosign/v3/cmd/cosign/cli/generate"
	"github.com/sigstore/cosign/v3/cmd/cosign/cli/options"
	"github.com/sigstore/cosign/v3/cmd/cosign/cli/sign"
	"github.com/sigstore/cosign/v3/cmd/cosign/cli/signcommon"
	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "cosign", SilenceUsage: true}
	ro := &options.RootOptions{}
	ro.AddFlags(root)
	root.AddCommand(generateKeyPair(), signImage(ro), attestImage(ro))
	if err := root.Execute(); err != nil {
		os.Exit(1)
	}
}

func generateKeyPair() *cobra.Command {
	o := &options.GenerateKeyPairOptions{}
	cmd := &cobra.Command{
		Use: "generate-key-pair",
		RunE: func(cmd *cobra.Command, args []string) error {
			return generate.GenerateKeyPairCmd(cmd.Context(), o.KMS, o.OutputKeyPrefix, args)
		},
	}
	o.AddFlags(cmd)
	return cmd
}

func signImage(ro *options.RootOptions) *cobra.Command {
	o := &options.SignOptions{}
	cmd := &cobra.Command{
		Use:  "sign",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ko := options.KeyOpts{
				KeyRef:                   o.Key,
				PassFunc:                 generate.GetPass,
				FulcioURL:                o.Fulcio.URL,
				IDToken:                  o.Fulcio.IdentityToken,
				FulcioAuthFlow:           o.Fulcio.AuthFlow,
				InsecureSkipFulcioVerify: o.Fulcio.InsecureSkipFulcioVerify,
				RekorURL:                 o.Rekor.URL,
				OIDCIssuer:               o.OIDC.Issuer,
				OIDCClientID:             o.OIDC.ClientID,
				OIDCDisableProviders:     true,
				SkipConfirmation:         o.SkipConfirmation,
				TSAServerURL:             o.TSAServerURL,
				NewBundleFormat:          o.NewBundleFormat,
			}
			if err := signcommon.LoadTrustedMaterialAndSigningConfig(cmd.Context(), &ko, o.UseSigningConfig, o.SigningConfigPath,
				o.Rekor.URL, o.Fulcio.URL, o.OIDC.Issuer, o.TSAServerURL, o.TrustedRootPath, o.TlogUpload,
				o.NewBundleFormat, "", o.Key, o.IssueCertificate, o.Output, "", o.OutputCertificate, o.OutputPayload, o.OutputSignature, ""); err != nil {
				return err
			}
			return sign.SignCmd(cmd.Context(), ro, ko, *o, args)
		},
	}
	o.AddFlags(cmd)
	return cmd
}

func attestImage(ro *options.RootOptions) *cobra.Command {
	o := &options.AttestOptions{}
	cmd := &cobra.Command{
		Use:  "attest",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ko := options.KeyOpts{
				KeyRef:                   o.Key,
				PassFunc:                 generate.GetPass,
				FulcioURL:                o.Fulcio.URL,
				IDToken:                  o.Fulcio.IdentityToken,
				FulcioAuthFlow:           o.Fulcio.AuthFlow,
				InsecureSkipFulcioVerify: o.Fulcio.InsecureSkipFulcioVerify,
				RekorURL:                 o.Rekor.URL,
				OIDCIssuer:               o.OIDC.Issuer,
				OIDCClientID:             o.OIDC.ClientID,
				OIDCDisableProviders:     true,
				SkipConfirmation:         o.SkipConfirmation,
				TSAServerURL:             o.TSAServerURL,
				NewBundleFormat:          o.NewBundleFormat,
			}
			if err := signcommon.LoadTrustedMaterialAndSigningConfig(cmd.Context(), &ko, o.UseSigningConfig, o.SigningConfigPath,
				o.Rekor.URL, o.Fulcio.URL, o.OIDC.Issuer, o.TSAServerURL, o.TrustedRootPath, o.TlogUpload,
				o.NewBundleFormat, "", o.Key, o.IssueCertificate, "", "", "", "", "", ""); err != nil {
				return err
			}
			command := attest.AttestCommand{
				KeyOpts:         ko,
				RegistryOptions: o.Registry,
				CertPath:        o.Cert,
				CertChainPath:   o.CertChain,
				PredicatePath:   o.Predicate.Path,
				PredicateType:   o.Predicate.Type,
				Replace:         o.Replace,
				Timeout:         ro.Timeout,
				TlogUpload:      o.TlogUpload,
				RekorEntryType:  o.RekorEntryType,
			}
			for _, image := range args {
				if err := command.Exec(cmd.Context(), image); err != nil {
					return err
				}
			}
			return nil
		},
	}
	o.AddFlags(cmd)
	return cmd
}
