import {createProfileServer, mainThread, type ProfiledThread, type ProfileServer} from '../../adapters/profile-server.js';
import type {Logger} from '../../adapters/log/logger.js';
import type {Flags} from '../config/flags.js';

const loopback = '127.0.0.1';

/** Profiles on a port of their own when the flag asks for them; on the loopback interface unless it names another. `threads`: beside the main one. */
export async function startProfiles(
  {profile, profileAddress, profilePort}: Pick<Flags, 'profile' | 'profileAddress' | 'profilePort'>,
  {log, threads = {}}: {readonly log: Logger; readonly threads?: Readonly<Record<string, ProfiledThread>>},
): Promise<ProfileServer | undefined> {
  if (!profile) return undefined;
  const server = createProfileServer({main: mainThread, ...threads});
  const host = profileAddress === '' ? loopback : profileAddress;
  try {
    await server.listen(profilePort, host);
  } catch (error) {
    log.error('no profiles are served', {host, port: profilePort, error: String(error)});
    return undefined;
  }
  const {port} = server.address() ?? {port: profilePort};
  if (profileAddress === '') log.info('profiles are served', {url: `http://${host}:${port}/debug/pprof/`});
  else log.warn('profiles are served to whoever reaches this address; heap snapshots hold what the process knows, Secrets among it', {host, port});
  return server;
}
