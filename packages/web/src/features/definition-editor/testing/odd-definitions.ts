import type { JsonObject } from '../json-path.ts'

/** Unusual definitions, modeled on published ones, which the editor must keep as they are. */
export const oddDefinitions: Readonly<Record<string, JsonObject>> = {
  'typed values stored as text, files as one text': {
    type: 'game',
    data: {
      port: { type: 'integer', value: '25565', required: 'true', userEdit: 'false' },
      eula: { type: 'boolean', value: 'False' },
      '7-days': { value: null, desc: '<i>Digits first</i>' },
      'no-type': {},
    },
    install: [
      { type: 'download', files: 'https://files.example.net/server.jar' },
      { type: 'command', commands: 'tar xf server.tar' },
      { type: 'writefile', target: 'a', metadata: { stray: true } },
      { if: "env == 'host'", type: 'javadl', version: 17 },
    ],
    run: { stop: 'stop', stopCode: '2', command: 'java  -jar\nserver.jar', odd: [1] },
    environment: { type: 'standard' },
  },
  'the older program with arguments, and no environment': {
    display: 'Old',
    type: 'other',
    run: {
      program: 'java',
      arguments: ['-jar', 7],
      pre: null,
      post: [],
      environmentVars: { LD: '$LD', N: 1, E: null },
    },
    uninstall: null,
    supportedEnvironments: [],
  },
  'conditional commands, groups and unknown keys': {
    keepAlive: { frequency: 5, command: 'x' },
    icon: 'game',
    groups: [{ display: 'Main', if: 'a', variables: ['a'], order: 1, extra: {} }],
    type: 'srcds',
    data: {
      a: {
        type: 'option',
        value: 2,
        options: [{ value: 1, display: 'One' }, { value: '2' }, { extra: true, value: '' }],
      },
      b: { type: 'float', value: 1.5 },
    },
    run: {
      command: [
        { if: '', command: 'a' },
        { command: 'b', stdin: { type: 'telnet', port: '${port}' } },
      ],
      stdin: { type: 'rconws' },
      expectedExitCode: 143,
      autostart: 'true',
    },
    environment: { type: '' },
    supportedEnvironments: [
      { type: 'host', disableUnshare: false, mounts: [] },
      {
        type: 'docker',
        image: 'java:${v}',
        portBindings: ['25565:25565', '0.0.0.0:1-2:1-2/udp'],
        bindings: {},
        labels: {},
      },
    ],
    requirements: { binaries: 'java', os: 'linux||windows' },
    stats: { type: '' },
  },
  'only a type, and unknown step types': {
    type: 'x',
    install: [{ type: 'teleport', to: { planet: 'moon' } }, { type: 'download' }, { type: 'command', commands: [''] }],
  },
  'limits in another spelling': {
    type: 'game',
    environment: { type: 'container', image: '', limits: { memory: '512', pids: 3 }, networkMode: 'HOST' },
  },
}
