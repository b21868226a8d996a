import { installServer, killServer, restartServer, startServer, stopServer } from '@innkeeper/contract/node-servers'

/** The API call of each power action. Killing a server aborts its install. */
export const powerCalls = {
  start: startServer,
  restart: restartServer,
  stop: stopServer,
  kill: killServer,
  install: installServer,
  cancelInstall: killServer,
} as const
