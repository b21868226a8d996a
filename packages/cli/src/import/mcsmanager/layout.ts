import { byColumns, column, off, on, secret, type TableLayout } from '../layout.ts'

type FileLayout = Exclude<TableLayout, 'state'>

export const userLayout: FileLayout = {
  what: 'user',
  name: byColumns('userName', 'uuid'),
  carried: 'uuid userName passWord passWordType permission instances secret open2FA apiKey',
  ignored: 'salt registerTime loginTime isInit',
  listed: { ssoSub: column('sign-in by another service', [], secret), ssoBound: column('bound account', off, secret) },
}

export const daemonLayout: FileLayout = {
  what: 'node',
  name: byColumns('remarks', 'ip'),
  carried: 'ip port remarks apiKey',
  ignored:
    'uuid connectOpts.multiplex connectOpts.reconnectionDelayMax connectOpts.timeout connectOpts.reconnection connectOpts.reconnectionAttempts connectOpts.rejectUnauthorized',
  listed: { prefix: column('path'), remoteMappings: column('other addresses') },
}

export const daemonConfigLayout: FileLayout = {
  what: 'daemon',
  name: byColumns('path'),
  carried: 'path key defaultInstancePath',
  ignored:
    'version ip port prefix language defaultJavaDataPath currentAllocatablePort outputBufferSize maxFileTask maxZipFileSize ssl sslPemPath sslKeyPath whiteListPanelIp whiteListPanelIps enableSoftShutdown softShutdownSkipDocker softShutdownWaitSeconds',
  listed: {
    allocatablePortRange: column('ports for new instances', ['[10010,65500]']),
    portAssignInterval: column('distance of ports', ['5']),
    uploadSpeedRate: column('speed of uploads', ['0']),
    downloadSpeedRate: column('speed of downloads', ['0']),
    maxDownloadFromUrlFileCount: column('concurrent downloads', ['1']),
  },
}

export const instanceLayout: FileLayout = {
  what: 'server',
  name: byColumns('nickname', 'id'),
  carried:
    'id nickname startCommand stopCommand stopTimeout cwd ie oe type endTime processType runAs basePort enableRcon terminalOption.pty eventTask.autoStart eventTask.autoRestart java.id pingConfig.port docker.image docker.ports docker.extraVolumes docker.memory docker.networkMode docker.cpusetCpus docker.cpuUsage docker.workingDir docker.env docker.labels docker.privileged docker.devices',
  ignored:
    'createDatetime lastDatetime fileCode terminalOption.haveColor terminalOption.ptyWindowCol terminalOption.ptyWindowRow rconIp docker.containerName',
  listed: {
    tag: column('tags'),
    updateCommand: column('command for updates'),
    crlf: column('line ends of Windows', ['1'], secret),
    category: column('category', ['0']),
    rconPassword: column('RCON password', [], secret),
    rconPort: column('RCON port', ['0']),
    actionCommandList: column('commands as buttons', [], secret),
    'eventTask.autoRestartMaxTimes': column('limit of restarts', ['-1']),
    'eventTask.ignore': column('ignored events', off, secret),
    'pingConfig.ip': column('address for the state'),
    'pingConfig.type': column('kind of the query', ['1']),
    'extraServiceConfig.openFrpTunnelId': column('tunnel'),
    'extraServiceConfig.openFrpToken': column('key of the tunnel', [], secret),
    'docker.updateCommandImage': column('image for updates', ['HOST']),
    'docker.uploadSpeedLimit': column('speed of uploads', ['0']),
    'docker.downloadSpeedLimit': column('speed of downloads', ['0']),
    'docker.capAdd': column('added capabilities'),
    'docker.capDrop': column('removed capabilities'),
    'docker.memorySwap': column('swap', ['0']),
    'docker.memorySwappiness': column('swappiness', ['0']),
    'docker.networkAliases': column('names in the network'),
    'docker.maxSpace': column('disk space', ['0']),
    'docker.io': column('IO weight', ['0']),
    'docker.network': column('network speed', ['0']),
    'docker.changeWorkdir': column('own working directory of the image', on, secret),
    'docker.gpuEnabled': column('GPU', off, secret),
    'docker.gpuCount': column('number of GPUs', ['-1']),
    'docker.gpuDeviceIds': column('GPUs'),
    'docker.gpuDriver': column('GPU driver', ['nvidia']),
    'docker.deviceReadBps': column('reading speed'),
    'docker.deviceWriteBps': column('writing speed'),
  },
}

export const taskLayout: FileLayout = {
  what: 'task',
  name: byColumns('name'),
  carried: 'instanceUuid name count type time action payload actions',
}
