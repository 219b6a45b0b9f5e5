import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import type {ContextLoader, ObjectSearch} from '../../engine/context-loader.js';
import {EvalError} from '../../engine/diagnostic.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {systemClock} from '../clock.js';
import {createNameLookup} from '../http/name-lookup.js';
import {silentLog} from '../log.js';
import {createKubeClient} from './client.js';
import {createKubeContextLoader} from './context-loader.js';
import {createObjectStore} from './object-store.js';
import {createSearchRoom} from './search-room.js';
import {fail, startTestApiServer, type TestApiServer} from './testing/api-server.js';
import type {KubeClient} from './types.js';

let server: TestApiServer;
let client: KubeClient;
let loader: ContextLoader;

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
  // What policies may call is limited to next to nothing.
  loader = createKubeContextLoader({client, namespaces: createObjectStore(), clock: systemClock, lookup: createNameLookup({resolve: async () => []}), maxBytes: 100});
});

afterEach(async () => {
  client.close();
  await server.close();
});

const load = () => ({deadline: Date.now() + 30_000});
const collection = {group: '', version: 'v1', resource: 'secrets', namespace: 'shop', labels: []};
const urlPath = '/api/v1/namespaces/shop/secrets';
const all: ObjectSearch = {keep: () => true};

function fill(count: number, size = 10): void {
  for (let index = 0; index < count; index += 1) {
    server.put('api/v1/secrets', {metadata: {name: `s${index}`, namespace: 'shop', labels: {odd: String(index % 2)}}, data: {x: 'y'.repeat(size)}});
  }
}

const byPath = async (search: ObjectSearch) => namesOf((await loader.apiCall({method: 'GET', urlPath, search}, load())) as JsonObject);
const byResource = async (search: ObjectSearch) => namesOf(await loader.resourceList({...collection, search}, load()));
const namesOf = (list: JsonObject) => (list['items'] as JsonObject[]).map(item => String(ownPath(item, 'metadata', 'name')));

async function refusal(asked: Promise<unknown>): Promise<string> {
  const error = await asked.then(() => undefined, (thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(EvalError);
  return (error as EvalError).message;
}

describe.each([['by path', byPath], ['by resource', byResource]] as const)('a search %s', (_, find) => {
  it('goes through all parts of a list, outside the limit for calls, and keeps what it asks for', async () => {
    fill(600, 1_000);
    expect(await find(all)).toHaveLength(600);
    expect(server.requests.map(({query}) => query.get('limit'))).toEqual(['250', '250', '250']);
    expect(await find({keep: item => ownPath(item, 'metadata', 'name') === 's599'})).toEqual(['s599']);
  });

  it('has the API server select', async () => {
    fill(4);
    expect(await find({...all, labelSelector: 'odd=1', fieldSelector: 'metadata.name=s1'})).toEqual(['s1', 's3']);
    expect(server.requests[0]?.query.get('fieldSelector')).toBe('metadata.name=s1');
  });

  it('takes smaller parts where objects are large', async () => {
    fill(40, 1024 * 1024);
    expect(await find({keep: item => ownPath(item, 'metadata', 'labels', 'odd') === '1'})).toHaveLength(20);
    expect(server.requests.map(({query}) => query.get('limit')).slice(0, 3)).toEqual(['250', '32', '4']);
  });

  it('ends with what its keeper says', async () => {
    fill(1);
    const search: ObjectSearch = {
      keep() {
        throw new EvalError('too many');
      },
    };
    expect(await refusal(find(search))).toBe('too many');
  });

  it('is denied in words that name the right', async () => {
    server.intercept = (_request, response) => fail(response, {code: 403, reason: 'Forbidden'});
    expect(await refusal(find(all))).toMatch(/^failed to GET resource with raw url: \/api\/v1\/namespaces\/shop\/secrets: permission denied \(HTTP 403\)$|^permission denied: list secrets in namespace shop \(HTTP 403\)$/);
    // One name may be granted alone.
    expect(await refusal(find({...all, fieldSelector: 'metadata.name=s1'}))).toMatch(/secrets\?fieldSelector=metadata\.name=s1: permission denied|list secrets in namespace shop named s1 \(HTTP 403\)$/);
  });
});

describe('a search that shares its memory with others', () => {
  const shared = (bytes: number) => {
    const searchRoom = createSearchRoom({bytes});
    const sharing = createKubeContextLoader({client, namespaces: createObjectStore(), clock: systemClock, lookup: createNameLookup({resolve: async () => []}), searchRoom});
    return {searchRoom, find: async (search = all) => namesOf((await sharing.apiCall({method: 'GET', urlPath, search}, load())) as JsonObject)};
  };

  it('takes smaller parts, and room for what it keeps only', async () => {
    fill(100, 1_000);
    const {searchRoom, find} = shared(64 * 1024);
    expect(await searchRoom.within('w', () => find({keep: item => ownPath(item, 'metadata', 'name') === 's99'}))).toEqual(['s99']);
    expect(server.requests.map(({query}) => query.get('limit')).slice(0, 3)).toEqual(['250', '32', '4']);
  });

  it('that finds more than there is says what helps', async () => {
    fill(100, 1_000);
    const {searchRoom, find} = shared(64 * 1024);
    expect(await refusal(searchRoom.within('w', find))).toBe(
      `the objects of ${urlPath} that the rule means take more than 0.1 MiB, an eighth of the memory here: narrow them by name, namespace or selector, split the rule by namespaces, or give the container more memory`,
    );
  });

  it('that finds what others hold at present fails until they are done', async () => {
    fill(40, 1_000);
    const {searchRoom, find} = shared(64 * 1024);
    await searchRoom.within('a', async () => {
      expect(await find()).toHaveLength(40);
      expect(await refusal(searchRoom.within('b', find))).toContain('find no memory while other work holds it');
    });
    expect(await searchRoom.within('b', find)).toHaveLength(40);
  });
});

it('a search that its time is too short for says what helps', async () => {
  server.intercept = () => true;
  const asked = loader.apiCall({method: 'GET', urlPath, search: all}, {deadline: Date.now() + 30});
  expect(await refusal(Promise.resolve(asked))).toContain('no answer in time after 0 objects: narrow what the rule means by name, namespace or selector');
});

it('one object is read whatever calls of policies may read; one that does not exist is told as such', async () => {
  fill(1, 1_000);
  const read = async (name: string) => loader.apiCall({method: 'GET', urlPath: `${urlPath}/${name}`, search: 'object'}, load());
  expect(await read('s0')).toMatchObject({metadata: {name: 's0'}});
  await expect(read('none')).rejects.toMatchObject({code: 'not-found'});
});
