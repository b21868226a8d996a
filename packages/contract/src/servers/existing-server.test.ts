import { expect, test } from 'vitest'
import { Definition } from '../definitions/definition.ts'
import { getDefinition, getValues } from './existing-server.ts'
import { recognizeServer } from './recognized-server.ts'

const template = Definition.parse({
  type: 'minecraft-java',
  data: {
    port: { type: 'integer', value: 25565 },
    motd: { type: 'string', value: 'A' },
    onlinemode: { type: 'boolean', value: true },
    difficulty: { type: 'option', value: 'easy', options: [{ value: 'easy' }, { value: 'hard' }] },
    eula: { type: 'boolean', value: false },
  },
  install: [
    { type: 'javadl', version: '21' },
    { type: 'paperdl', target: 'server.jar' },
  ],
  run: { command: 'java -jar server.jar nogui' },
})

test('settings become values of the variables that the template has', () => {
  const settings = '#Minecraft\r\nserver-port=25590\r\nmotd=Mara\\: home\nonline-mode=false\ndifficulty=hard\nbad\n'

  expect([...getValues(template.data, { settings, eula: 'eula=true\n' })]).toEqual([
    ['port', 25590],
    ['motd', 'Mara: home'],
    ['onlinemode', false],
    ['difficulty', 'hard'],
    ['eula', true],
  ])
})

test('values that do not fit, and an EULA that is not accepted, are left out', () => {
  const settings = 'server-port=x\ndifficulty=nightmare\nmotd=\n__proto__=1\n'

  expect([...getValues(template.data, { settings, eula: 'eula=false' })]).toEqual([])
})

test('a server that has its jar file starts that one, and its install downloads only Java', () => {
  const recognized = recognizeServer(['server.properties', 'paper.yml', 'my paper.jar'])
  if (!recognized) throw new Error('not recognized')

  const { run, install } = getDefinition(template, recognized, { settings: '', eula: '' })

  expect(run.command).toBe('java -jar "my paper.jar" nogui')
  expect(install?.map(({ type }) => type)).toEqual(['javadl'])
})

test('a server without its program gets it from the install', () => {
  const recognized = recognizeServer(['server.properties', 'paper.yml'])
  if (!recognized) throw new Error('not recognized')

  const { run, install } = getDefinition(template, recognized, { settings: '', eula: '' })

  expect(run.command).toBe('java -jar server.jar nogui')
  expect(install?.map(({ type }) => type)).toEqual(['javadl', 'paperdl'])
})
