// Prints what proofs cost: `node --import tsx test/images/figures.ts`. Wall time is that of this machine; CPU is what counts.
import type {ImageSource, SignatureQuery, Signer, Transparency} from '../../engine/image/verification.js';
import {startFront} from './front.js';
import {access, attestorOf, createWorldImages, keyOf, noTransparency} from './queries.js';
import {createImagesWorld, hostOf, identity} from './world.js';

const world = await createImagesWorld();
const trusted: Transparency = {...noTransparency, ignoreTlog: false, ignoreSct: false, trustedRoot: JSON.stringify(world.keyless.trustedRoot)};
const byIdentity: Signer = {
  type: 'keyless',
  identities: [{subject: {kind: 'exact', text: identity.subject}, issuer: {kind: 'exact', text: identity.issuer}}],
  roots: undefined,
  additionalExtensions: {},
};
const notary: Signer = {type: 'notary', certificates: world.notation.authorities['trusted']!, tsaCertificates: undefined};

function query(image: string, format: SignatureQuery['format'], signer: Signer, transparency = noTransparency): SignatureQuery {
  return {image, access, format, ociReferrers: false, attestor: attestorOf(signer, {transparency})};
}

const cases: Readonly<Record<string, SignatureQuery>> = {
  'key, under a tag': query(`${hostOf(world, 'tag')}/tag/signed:v1`, 'tag', keyOf(world)),
  'key, bundle': query(`${hostOf(world, 'bundle')}/bundle/signed:v1`, 'bundle', keyOf(world)),
  'identity, under a tag': query(`${hostOf(world, 'tag')}/tag/identity:v1`, 'tag', byIdentity, trusted),
  'identity, bundle': query(`${hostOf(world, 'bundle')}/bundle/identity:v1`, 'bundle', byIdentity, trusted),
  'notation, JWS': query(`${world.hosts.referrers}/jws/signed:v1`, 'notary', notary),
  'notation, COSE': query(`${world.hosts.referrers}/cose/signed:v1`, 'notary', notary),
};

const how = (useCache: boolean) => ({deadline: Date.now() + 60_000, useCache});
const rounds = {cold: 50, cached: 20_000};

/** Microseconds of CPU for one of `count` calls. */
async function cpu(count: number, call: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  for (let round = 0; round < count; round += 1) await call();
  const {user, system} = process.cpuUsage(before);
  return (user + system) / count;
}

try {
  console.log('| signature | cold, CPU | cached, CPU |\n|---|---|---|');
  for (const [name, question] of Object.entries(cases)) {
    const images: ImageSource = createWorldImages();
    for (let warm = 0; warm < 10; warm += 1) await images.verifySignature(question, how(false));
    const cold = await cpu(rounds.cold, () => images.verifySignature(question, how(false)));
    await images.verifySignature(question, how(true));
    const cached = await cpu(rounds.cached, () => images.verifySignature(question, how(true)));
    console.log(`| ${name} | ${(cold / 1000).toFixed(1)} ms | ${cached.toFixed(0)} µs |`);
  }
  const front = await startFront(world.hosts.tags);
  const images = createWorldImages();
  const question = query(`${front.host}/tag/signed:v1`, 'tag', keyOf(world));
  await Promise.all(Array.from({length: 100}, () => images.verifySignature(question, how(true))));
  console.log(`\n100 questions at once: ${front.requests.length} requests to the registry, each of them once: ${new Set(front.requests).size === front.requests.length}`);
  await front.close();
} finally {
  await world.stop();
}
process.exit(0);
