import { expect, test } from 'vitest'
import { splitCommand } from '../command-line.ts'
import { commandOf, Template } from '../definition.ts'
import { problemsOfDefinition } from '../definition-problems.ts'
import { convertEgg } from './convert-egg.ts'
import { isEgg } from './egg.ts'

const paper = {
  meta: { version: 'PTDL_v2', update_url: null },
  name: 'Paper',
  author: 'someone@example.org',
  description: 'High performance fork.',
  features: ['eula', 'JavaVersion', 'gsl_token', 'other'],
  docker_images: { 'Java 21': 'example.org/yolks:java_21', 'Java 17': '~example.org/yolks:java_17' },
  file_denylist: [],
  startup: 'java -Xmx{{SERVER_MEMORY}}M -jar {{SERVER_JARFILE}} --port {{SERVER_PORT}}',
  config: {
    files: JSON.stringify({
      'server.properties': {
        parser: 'properties',
        find: {
          'server-ip': '0.0.0.0',
          'server-port': '{{server.build.default.port}}',
          'x.y': '{{config.docker.interface}}',
        },
      },
      'config.yml': { parser: 'yaml', find: { host: 'x' } },
    }),
    startup: JSON.stringify({ done: ')! For help, type ' }),
    logs: '{}',
    stop: 'stop',
  },
  scripts: {
    installation: {
      script: '#!/bin/ash\r\ncd /mnt/server\r\ncurl -o ${SERVER_JARFILE} https://example.org\r\n',
      container: 'ghcr.io/x/installers:alpine',
      entrypoint: 'ash',
    },
  },
  variables: [
    {
      name: 'Jar',
      description: 'Its name',
      env_variable: 'SERVER_JARFILE',
      default_value: 'server.jar',
      user_viewable: true,
      user_editable: true,
      rules: 'required|regex:/^([\\w\\d._-]+)(\\.jar)$/',
    },
    { name: 'Mode', env_variable: 'MODE', default_value: 'a', user_viewable: 1, user_editable: 0, rules: ['in:a,b'] },
    {
      name: 'Slots',
      env_variable: 'SLOTS',
      default_value: '8',
      user_viewable: false,
      user_editable: true,
      rules: 'integer|between:1,64',
    },
  ],
}

test('an egg becomes a template that can be saved, and what is lost is listed', () => {
  const { template, notes } = convertEgg(paper)

  expect(Template.safeParse(template).success).toBe(true)
  expect(problemsOfDefinition(template)).toEqual([])
  expect(template).toMatchObject({
    name: 'paper',
    display: 'Paper',
    type: 'minecraft-java',
    prompts: [{ type: 'eula' }, { type: 'javaVersion' }, { type: 'gameServerToken' }],
    data: {
      port: { type: 'integer', value: 25565 },
      memory: { value: 1024 },
      SERVER_JARFILE: { type: 'string', value: 'server.jar', required: true, userEdit: true, internal: false },
      MODE: { type: 'option', userEdit: false, options: [{ value: 'a' }, { value: 'b' }] },
      SLOTS: { type: 'integer', min: 1, max: 64, userEdit: false, internal: true },
    },
    run: {
      command: 'java -Xmx${memory}M -jar ${SERVER_JARFILE} --port ${port}',
      stop: 'stop',
      readyPattern: '\\)! For help, type ',
      environmentVars: { SERVER_PORT: '${port}', SLOTS: '${SLOTS}' },
    },
    environment: {
      type: 'docker',
      image: 'example.org/yolks:java_21',
      networkMode: 'bridge',
      portBindings: ['${ip}:${port}:${port}/tcp', '${ip}:${port}:${port}/udp'],
    },
  })
  expect(template.supportedEnvironments).toHaveLength(2)
  expect(template.run.pre).toEqual([
    {
      type: 'alterfile',
      if: 'file_exists("server.properties")',
      file: 'server.properties',
      search: '^server-ip[ \\t]*[=:].*$',
      replace: 'server-ip=0.0.0.0',
    },
    {
      type: 'alterfile',
      if: 'file_exists("server.properties")',
      file: 'server.properties',
      search: '^server-port[ \\t]*[=:].*$',
      replace: 'server-port=${port}',
    },
    {
      type: 'writefile',
      if: '!file_exists("server.properties")',
      target: 'server.properties',
      text: 'server-ip=0.0.0.0\nserver-port=${port}\n',
    },
  ])
  expect(template.install).toEqual([
    {
      type: 'writefile',
      target: '.install.sh',
      text: '#!/bin/ash\ncd .\ncurl -o ${SERVER_JARFILE-} https://example.org\n',
    },
    { type: 'command', commands: ['sh .install.sh'], stopOnError: true },
  ])
  expect(notes.map((note) => (note.kind === 'dropped' ? note.where : note.kind))).toEqual([
    'features.other',
    'scripts.installation.container',
    'config.files.server.properties.x.y',
    'config.files.config.yml',
  ])
})

test('a start command with shell syntax runs in bash, and values of variables are no code', () => {
  const startup = 'cd /home/container && ./run "{{NAME}}" $( [[ -f x ]] && printf %s -y )'

  const { template } = convertEgg({ ...paper, startup })

  expect(splitCommand(commandOf(template.run))).toEqual([
    'bash',
    '-c',
    'cd /pufferpanel && ./run "${NAME-}" $( [[ -f x ]] && printf %s -y )',
  ])
})

test.each([
  ['^C', { stopCode: 2 }],
  ['^^C', { stopCode: 2 }],
  ['^SIGTERM', { stopCode: 15 }],
  ['', { stopCode: 15 }],
  ['quit', { stop: 'quit' }],
])('the stop %s becomes %o', (stop, run) => {
  expect(convertEgg({ ...paper, config: { ...paper.config, stop } }).template.run).toMatchObject(run)
})

test('start commands of Pelican, nested configuration and several ready lines are read', () => {
  const { template } = convertEgg({
    ...paper,
    meta: { version: 'PLCN_v3' },
    startup: undefined,
    startup_commands: { Default: './server' },
    config: { files: {}, startup: { done: ['up', 'regex:^ready \\d+'] }, stop: '^C' },
  })

  expect(template.run).toMatchObject({ command: './server', readyPattern: '(?:up)|(?:^ready \\d+)' })
})

test.each([
  [true, paper],
  [true, { meta: { version: 'PLCN_v1' } }],
  [false, { meta: { version: 'x' } }],
  [false, { type: 'x' }],
  [false, null],
])('whether it is an egg is %s', (isOne, json) => {
  expect(isEgg(json)).toBe(isOne)
})

test('an egg that is damaged is refused', () => {
  expect(() => convertEgg({ ...paper, variables: [{ env_variable: 'not a name' }] })).toThrow(
    'variables.0.env_variable',
  )
  expect(() => convertEgg({ ...paper, name: '' })).toThrow()
})
