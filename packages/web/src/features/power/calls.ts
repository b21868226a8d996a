import { installServer, killServer, restartServer, startServer, stopServer } from '@innkeeper/contract/node-servers'

/** The call behind each power action. A node aborts an install when it is told to kill. */
export const powerCalls = {
  start: startServer,
  restart: restartServer,
  stop: stopServer,
  kill: killServer,
  install: installServer,
  cancelInstall: killServer,
} as const
