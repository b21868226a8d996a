import { standardPath } from '@innkeeper/daemon/environments/locate-program'
import type { CommandContext } from '../command/command.ts'
import type { Config } from '../installation/config.ts'
import type { Check } from './checks.ts'
import { isolationCheck } from './isolation-check.ts'
import { clockCheck, diskCheck, nodeVersionCheck, openFilesCheck } from './machine-checks.ts'
import { certificateCheck, greetsAsSftp, isNode, isPanel, portCheck } from './network-checks.ts'
import { databaseCheck, dockerCheck, mailCheck, resticCheck } from './service-checks.ts'

/** The checks of a role. */
export function checksFor({ config, log }: Pick<CommandContext, 'config' | 'log'>): Check[] {
  const { role, dataDir, databaseUrl } = config
  const machine = [nodeVersionCheck(), openFilesCheck(), diskCheck(dataDir), clockCheck()]
  const servers = [
    isolationCheck({ dataDir, uids: config.serverUids }),
    dockerCheck(),
    resticCheck(config.restic ?? 'restic', standardPath),
  ]
  const panel = [databaseCheck(databaseUrl), mailCheck({ databaseUrl, log })]
  const { tlsCert: cert, tlsKey: key, masterUrl } = config
  return [
    ...machine,
    ...(role === 'panel' ? [] : servers),
    ...portChecks(config),
    certificateCheck({ cert, key, masterUrl: role === 'node' ? undefined : masterUrl }),
    ...(role === 'node' ? [] : panel),
  ]
}

function portChecks({ role, host, port, nodeHost, nodePort, sftpHost, sftpPort }: Config): Check[] {
  const panel = portCheck({
    name: 'panel-port',
    purpose: 'the panel',
    host,
    port,
    setting: 'INNKEEPER_PORT',
    isOurs: isPanel,
  })
  const node = portCheck({
    name: 'node-port',
    purpose: 'the node',
    host: nodeHost,
    port: nodePort,
    setting: 'INNKEEPER_NODE_PORT',
    isOurs: isNode,
  })
  const sftp = portCheck({
    name: 'sftp-port',
    purpose: 'SFTP',
    host: sftpHost,
    port: sftpPort,
    setting: 'INNKEEPER_SFTP_PORT',
    isOurs: greetsAsSftp,
  })
  return { all: [panel, sftp], panel: [panel], node: [node, sftp] }[role]
}
