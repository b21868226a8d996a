import { expect, test } from 'vitest'
import { compilePattern } from '../text/pattern.ts'
import { Definition } from './definition.ts'
import { problemsOfDefinition } from './definition-problems.ts'
import { getPrompts, prompts } from './prompts.ts'

const define = (more: object) => Definition.parse({ type: 'x', ...more })

test.for([
  ['eula', '[12:00:00 INFO]: You need to agree to the EULA in order to run the server. Go to eula.txt for more info.'],
  ['javaVersion', 'Exception in thread "main" java.lang.UnsupportedClassVersionError: a/B : Unsupported major.minor'],
  ['javaVersion', 'Minecraft 1.17 requires running the server with Java 16 or above. Download Java 16 from a site'],
  ['javaVersion', 'a has been compiled by a more recent version of the Java Runtime (class file version 65.0)'],
  ['gameServerToken', 'Could not establish connection to Steam servers. (GSL token expired)'],
  ['processLimit', 'java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory'],
  ['processLimit', 'pthread_create failed (EAGAIN)'],
  ['diskSpace', 'Error! steamcmd needs 250MB of free disk space to update.'],
  ['diskSpace', "Error! App '740' state is 0x202 after update job."],
] as const)('%s is found in: %s', ([type, line]) => {
  expect(prompts[type].some((pattern) => compilePattern(pattern).test(line))).toBe(true)
})

test('an unknown type, an empty pattern and an invalid one are left out, and the pattern is not saved', () => {
  const definition = define({ prompts: [{ type: 'other' }, 7, { type: 'eula', patterns: ['(', '', 'x'] }] })

  expect(getPrompts(definition)).toEqual([{ type: 'eula', patterns: ['x'], variable: undefined }])
  expect(problemsOfDefinition(definition)).toMatchObject([{ code: 'ErrFieldInvalid', metadata: { field: 'prompts' } }])
  expect(getPrompts(define({ prompts: 'eula' }))).toEqual([])
})

test('another version of Java is a choice of the image', () => {
  const definition = define({
    data: { image: { type: 'option', value: 'a', options: [{ value: 'a' }, { value: 'b' }] } },
    environment: { type: 'docker', image: '${image}' },
    prompts: [{ type: 'javaVersion' }],
  })

  expect(getPrompts(definition)).toMatchObject([{ variable: 'image' }])
})
