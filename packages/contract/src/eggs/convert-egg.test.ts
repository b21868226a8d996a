import { expect, test } from 'vitest'
import { Template } from '../definitions/definition.ts'
import { problemsOfDefinition } from '../definitions/definition-problems.ts'
import { isMajorNote } from '../templates/template-conversion.ts'
import { convertEgg } from './convert-egg.ts'
import { isEgg } from './egg.ts'

const paper = {
  meta: { version: 'PTDL_v2', update_url: null },
  name: 'Paper',
  author: 'someone@example.org',
  description: 'High performance fork.',
  features: ['eula', 'JavaVersion', 'gsl_token', 'other'],
  docker_images: { 'Java 21': 'example.org/yolks:java_21', 'Java 17': '~example.org/yolks:java_17' },
  file_denylist: ['/secret.cfg'],
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

test('an egg becomes a template that can be saved and behaves as in the other panel', () => {
  const { template } = convertEgg(paper)

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
      image: {
        type: 'option',
        value: 'example.org/yolks:java_21',
        userEdit: true,
        options: [
          { value: 'example.org/yolks:java_21', display: 'Java 21' },
          { value: 'example.org/yolks:java_17', display: 'Java 17' },
        ],
      },
      SERVER_JARFILE: { type: 'path', value: 'server.jar', required: true, userEdit: true, internal: false },
      MODE: { type: 'option', userEdit: false, options: [{ value: 'a' }, { value: 'b' }] },
      SLOTS: { type: 'integer', min: 1, max: 64, internal: true },
    },
    run: {
      command: 'java -Xmx{{SERVER_MEMORY}}M -jar {{SERVER_JARFILE}} --port {{SERVER_PORT}}',
      stop: 'stop',
      readyPattern: '\\)! For help, type ',
      environmentVars: { SERVER_IP: '${ip}', SERVER_PORT: '${port}', SERVER_MEMORY: '${memory}', SLOTS: '${SLOTS}' },
    },
    environment: {
      type: 'docker',
      image: '${image}',
      commandAs: 'variable',
      containerRoot: '/home/container',
      readOnlyRoot: true,
      tmpfs: { '/tmp': '100m' },
      networkMode: 'bridge',
      portBindings: ['${ip}:${port}:${port}/tcp', '${ip}:${port}:${port}/udp'],
      limits: { memory: '${memory}' },
    },
  })
  expect(template.supportedEnvironments).toEqual([template.environment])
  expect(template.run.pre).toEqual([
    {
      type: 'editconfig',
      file: 'server.properties',
      format: 'properties',
      changes: [
        { path: 'server-ip', value: '0.0.0.0' },
        { path: 'server-port', value: '${port}' },
        { path: 'x.y', value: '${hostAddress}' },
      ],
    },
    { type: 'editconfig', file: 'config.yml', format: 'yaml', changes: [{ path: 'host', value: 'x' }] },
  ])
  expect(template.deniedFiles).toEqual(['/secret.cfg'])
  expect(template.data).toMatchObject({ hostAddress: { value: '172.17.0.1', userEdit: false } })
})

test('the install script is a step with its image, its shell and the text of the egg', () => {
  const { template } = convertEgg(paper)

  expect(template.install).toEqual([
    {
      type: 'dockerrun',
      image: 'ghcr.io/x/installers:alpine',
      entrypoint: 'ash',
      script: '#!/bin/ash\ncd /mnt/server\ncurl -o ${SERVER_JARFILE} https://example.org\n',
      mount: '/mnt/server',
    },
  ])
})

const findInstallation = (installation: unknown) => convertEgg({ ...paper, scripts: { installation } }).template.install

test.each([
  [
    'the image and bash where the egg names none',
    { script: 'true' },
    { image: 'example.org/yolks:java_21', entrypoint: 'bash' },
  ],
  ['ash for Alpine', { script: 'true', container: 'alpine:3' }, { image: 'alpine:3', entrypoint: 'ash' }],
  ['a path', { script: 'true', container: '~x', entrypoint: '/bin/sh' }, { image: 'x', entrypoint: '/bin/sh' }],
])('the install script runs with %s', (_, installation, expected) => {
  expect(findInstallation(installation)).toEqual([expect.objectContaining(expected)])
})

test('an egg without an install script has nothing to install', () => {
  expect(findInstallation({ script: ' \n' })).toEqual([])
})

test('the start command stays as it is in the egg, but for carriage returns', () => {
  const startup = 'if [ -f x ]; then\r\n  ./run "{{NAME}}" \\"${OTHER}\\"\r\nfi'

  const { template } = convertEgg({ ...paper, startup })

  expect(template.run.command).toBe('if [ -f x ]; then\n  ./run "{{NAME}}" \\"${OTHER}\\"\nfi')
})

test('a single image needs no variable', () => {
  const { template } = convertEgg({
    ...paper,
    docker_images: { Java: ' ~example.org/java:21', Same: 'example.org/java:21' },
  })

  expect(template.environment?.image).toBe('example.org/java:21')
  expect(template.data).not.toHaveProperty('image')
})

test('images without names are chosen by the image', () => {
  const { template } = convertEgg({ ...paper, docker_images: undefined, images: ['a:1', 'b:2'] })

  expect(template.data.image?.options).toEqual([
    { value: 'a:1', display: 'a:1' },
    { value: 'b:2', display: 'b:2' },
  ])
})

test('one of several start commands is chosen by its name', () => {
  const startup_commands = { Default: './server', 'With "cheats"': './server -cheats' }

  const { template } = convertEgg({ ...paper, startup: undefined, startup_commands })

  expect(template.data.startup).toMatchObject({
    type: 'option',
    value: 'Default',
    options: [{ value: 'Default' }, { value: 'With "cheats"' }],
  })
  expect(template.run.command).toEqual([
    { if: 'startup == "With \\"cheats\\""', command: './server -cheats' },
    { command: './server' },
  ])
})

test('ports in variables are published with both protocols, each variable once', () => {
  const port = (env_variable: string, name = env_variable) => ({
    env_variable,
    name,
    default_value: '27016',
    rules: [],
  })
  const variables = [
    port('QUERY_PORT'),
    port('SRCDS_STV', 'SourceTV Port'),
    port('RCPORT'),
    port('PORTFORWARD', 'Port forwarding'),
  ]

  const { template } = convertEgg({ ...paper, variables: [...variables, port('QUERY_PORT')] })

  expect(template.environment?.portBindings).toEqual(
    ['port', 'QUERY_PORT', 'SRCDS_STV', 'RCPORT'].flatMap((name) => [
      `\${ip}:\${${name}}:\${${name}}/tcp`,
      `\${ip}:\${${name}}:\${${name}}/udp`,
    ]),
  )
})

test('variables are passed on in upper case, too, and cannot replace those of the panel', () => {
  const variables = [
    { env_variable: 'hostname', default_value: 'x' },
    { env_variable: 'SERVER_PORT', default_value: '1' },
    { env_variable: 'P_SERVER_UUID', default_value: '1' },
    { env_variable: 'memory', default_value: '1', user_viewable: true, user_editable: true },
  ]

  const { template } = convertEgg({ ...paper, variables })

  expect(template.data).not.toHaveProperty('SERVER_PORT')
  expect(template.data.memory).toMatchObject({ value: 1024, userEdit: false })
  expect(template.run.environmentVars).toMatchObject({
    hostname: '${hostname}',
    HOSTNAME: '${hostname}',
    SERVER_PORT: '${port}',
    P_SERVER_UUID: '${serverId}',
    P_SERVER_ALLOCATION_LIMIT: '0',
    TZ: '${core:timezone}',
  })
})

test.each([
  [
    ['server.jar', '*.so'],
    ['server.jar', '*.so'],
  ],
  ['["server.jar"]', ['server.jar']],
  [['', ' '], undefined],
  [{}, undefined],
  ['', undefined],
])('the denied files %j become %j', (file_denylist, deniedFiles) => {
  expect(convertEgg({ ...paper, file_denylist }).template.deniedFiles).toEqual(deniedFiles)
})

test.each([
  ['^C', { stopCode: 2 }],
  ['^c', { stopCode: 2 }],
  ['^^C', { stopCode: 2 }],
  ['^SIGTERM', { stopCode: 15 }],
  ['^SIGHUP', { stopCode: 1 }],
  ['^9', { stopCode: 9 }],
  ['^X', { stopCode: 15 }],
  ['^64', { stopCode: 15 }],
  ['^constructor', { stopCode: 15 }],
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
    config: { files: {}, startup: { done: ['up', 'regex:^ready \\d+'], userInteraction: ['eula'] }, stop: '^C' },
  })

  expect(template.run).toMatchObject({ command: './server', readyPattern: '(?:up)|(?:^ready \\d+)' })
})

test('notes name what a user will miss, those of weight first, and nothing that was carried over', () => {
  const config = {
    ...paper.config,
    files: { 'world/level.dat': { parser: 'nbt', find: { host: 'x' } } },
    startup: { done: 'regex:(?=x)' },
  }

  const { notes } = convertEgg({ ...paper, features: [], docker_images: {}, startup: '', config, variables: [] })

  expect(notes).toEqual([
    { kind: 'noCommand' },
    { kind: 'noImage' },
    { kind: 'configFile', file: 'world/level.dat' },
    { kind: 'ready' },
  ])
  expect(notes.map(isMajorNote)).toEqual([true, true, true, false])
})

test.each([
  ['minecraft-java', paper],
  ['minecraft-java', { ...paper, name: 'Vanilla Bukkit', features: [] }],
  ['game', { ...paper, name: 'Java bot', description: 'A bot.', features: ['pid_limit'] }],
  ['game', { ...paper, name: 'Minecraft Bedrock', startup: './bedrock_server' }],
])('the category is %s', (category, egg) => {
  expect(convertEgg(egg).template.type).toBe(category)
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
