import { getConfig } from '@innkeeper/contract/settings/panel'
import { postSettings, putSetting } from '@innkeeper/contract/settings/settings'
import { deleteTheme, listThemes, maxThemes, putTheme, renameTheme } from '@innkeeper/contract/settings/themes'
import { contrast, toOklch } from '@innkeeper/contract/theme/color'
import { defaultPalettes, schemes } from '@innkeeper/contract/theme/palette'
import { writeTar } from '@innkeeper/contract/theme/tar'
import { readTheme } from '@innkeeper/contract/theme/theme-file'
import { describe, expect } from 'vitest'
import { type TestPanel, test } from '../testing/test-panel.ts'
import { bundledThemes } from './bundled.ts'

function getArchive(files: Readonly<Record<string, string>>): string {
  const packed = writeTar(Object.entries(files).map(([name, content]) => ({ name, bytes: Buffer.from(content) })))
  return Buffer.from(packed).toString('base64')
}

const green = getArchive({ 'theme.json': '{"colors":{"light":{"primary":"#0b7a3a"},"dark":{}}}' })

type Admin = Awaited<ReturnType<TestPanel['admin']>>
const put = (testPanel: TestPanel, name: string, archive: string, as: Admin) =>
  testPanel.send(putTheme, { params: { name }, body: { archive } }, as)

const hueDifference = (one: string, other: string) =>
  Math.abs(((toOklch(one).hue - toOklch(other).hue + 540) % 360) - 180)

describe('bundled themes', () => {
  test('are four, visibly different, readable in both schemes, and have an error color of their own', () => {
    const themes = [...bundledThemes].map(([name, archive]) => ({ name, theme: readTheme(archive) }))

    expect(themes.map(({ name }) => name)).toEqual(['Innkeeper', 'Harbour', 'Heather', 'Ember'])
    for (const scheme of schemes) {
      const all = themes.map(({ theme }) => ({ ...defaultPalettes[scheme], ...theme.palettes[scheme] }))
      expect(new Set(all.map(({ primary }) => primary)).size).toBe(4)
      expect(new Set(all.map(({ body }) => body)).size).toBe(4)
      for (const palette of all) {
        expect(hueDifference(palette.primary, palette.offline), `${scheme} error on ${palette.body}`).toBeGreaterThan(
          40,
        )
        expect(hueDifference(palette.link, palette.offline), `${scheme} link on ${palette.body}`).toBeGreaterThan(40)
        const { body, surface, raised, hover, dialog, field } = palette
        for (const ground of [body, surface, raised, hover, dialog, field]) {
          for (const name of ['text', 'dim', 'online', 'offline', 'warning', 'info'] as const) {
            expect(contrast(palette[name], ground), `${scheme} ${name} on ${ground}`).toBeGreaterThanOrEqual(4.5)
          }
        }
        for (const name of [
          'text',
          'dim',
          'accent',
          'link',
          'online',
          'offline',
          'warning',
          'info',
          'unknown',
        ] as const)
          expect(contrast(palette[name], palette['primary-soft']), `${scheme} ${name} selected`).toBeGreaterThanOrEqual(
            4.5,
          )
        for (const alert of ['offline', 'warning', 'info'] as const) {
          for (const name of ['text', 'link', alert] as const)
            expect(
              contrast(palette[name], palette[`${alert}-soft`]),
              `${scheme} ${name} in ${alert}`,
            ).toBeGreaterThanOrEqual(4.5)
        }
      }
    }
  })

  test('are public and cannot be replaced or removed', async ({ testPanel }) => {
    const admin = await testPanel.admin()

    const { status } = await testPanel.request('GET', '/theme/Harbour.tar')

    expect(status).toBe(200)
    expect((await put(testPanel, 'Harbour', green, admin)).refusal).toBe('ErrDuplicateTheme')
    expect((await testPanel.send(deleteTheme, { params: { name: 'Harbour' } }, admin)).refusal).toBe('ErrThemeNotFound')
    expect((await testPanel.send(getConfig, {})).answer.themes).toEqual({
      active: 'Innkeeper',
      available: ['Innkeeper', 'Harbour', 'Heather', 'Ember'],
    })
  })
})

describe('an uploaded theme', () => {
  test('is public, can be the default, and can be renamed and removed', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    const makeDefault = (value: string) =>
      testPanel.send(postSettings, { body: { 'panel.settings.defaultTheme': value } }, admin)

    expect((await put(testPanel, 'Forest', green, admin)).status).toBe(200)
    expect((await makeDefault('Forest')).status).toBe(204)
    await testPanel.send(renameTheme, { params: { name: 'Forest', newName: 'Deep Forest' } }, admin)
    expect((await testPanel.request('GET', '/theme/Deep%20Forest.tar')).status).toBe(200)
    expect((await testPanel.request('GET', '/theme/Forest.tar')).status).toBe(404)

    await testPanel.send(deleteTheme, { params: { name: 'Deep Forest' } }, admin)
    expect((await testPanel.send(getConfig, {})).answer.themes.available).not.toContain('Deep Forest')
    expect((await testPanel.send(getConfig, {})).answer.themes.active).toBe('Innkeeper')
  })

  test('is stored without unsafe CSS, which is listed in the response', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    const files = { 'theme.json': '{"colors":{}}', 'theme.css': 'h1{color:red}\na{position:fixed}' }

    const { answer } = await put(testPanel, 'Sly', getArchive(files), admin)

    expect(answer.leftOut).toEqual(['position (line 2)'])
    expect(
      (await testPanel.send(listThemes, {}, admin)).answer.find(({ name }) => name === 'Sly')?.leftOut,
    ).toHaveLength(1)
  })

  test.for([
    ['damaged', Buffer.from(green, 'base64').subarray(0, 512).toString('base64'), 'truncated'],
    ['no archive', Buffer.from('hello').toString('base64'), 'notTar'],
    ['low in contrast', getArchive({ 'theme.json': '{"colors":{"light":{"text":"#bbbbbb"}}}' }), 'contrast'],
    [
      'nested too deeply',
      getArchive({ 'theme.json': '{"colors":{"light":{},"dark":{}}}', 'theme.css': '@media x{'.repeat(8_000) }),
      'cssTooComplex',
    ],
  ])('that is %s is rejected with the reason', async ([, archive = '', reason], { testPanel }) => {
    const { status, refusal, metadata } = await put(testPanel, 'Broken', archive, await testPanel.admin())

    expect([status, refusal, metadata.reason]).toEqual([400, 'ErrThemeInvalid', reason])
  })

  test('requires an administrator', async ({ testPanel }) => {
    const user = await testPanel.createUser()

    const { refusal } = await put(testPanel, 'Mine', green, user)

    expect(refusal).toBe('ErrMissingScope')
  })

  test('is limited in number', async ({ testPanel }) => {
    const admin = await testPanel.admin()
    await put(testPanel, 'Theme 0', green, admin)
    const first = await testPanel.db.selectFrom('themes').selectAll().executeTakeFirstOrThrow()
    const others = Array.from({ length: maxThemes - 1 }, (_, index) => ({ ...first, name: `Theme ${index + 1}` }))
    await testPanel.db.insertInto('themes').values(others).execute()

    expect((await put(testPanel, 'One more', green, admin)).refusal).toBe('ErrTooMany')
    expect((await put(testPanel, 'Theme 3', green, admin)).status).toBe(200)
  })
})

test('the name of a theme is no path', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const paths = ['..%2f..%2fpackage.json', '..%2Fdatabase.sqlite', '%2e%2e%2fHarbour', '%2fetc%2fpasswd', 'Harbour%00']

  const answers = await Promise.all(paths.map((path) => testPanel.request('GET', `/theme/${path}.tar`)))
  const uploads = await Promise.all(
    ['../Harbour', 'a/b', '..\\Harbour'].map((name) => put(testPanel, name, green, admin)),
  )

  expect(answers.map(({ status }) => [400, 404].includes(status))).toEqual(paths.map(() => true))
  expect(uploads.map(({ status }) => status)).toEqual([400, 400, 400])
})

test('only an existing theme can be the default', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const params = { key: 'panel.settings.defaultTheme' } as const

  const { refusal, metadata } = await testPanel.send(putSetting, { params, body: { value: 'Nowhere' } }, admin)

  expect([refusal, metadata.field]).toEqual(['ErrFieldInvalid', 'panel.settings.defaultTheme'])
  expect((await testPanel.send(putSetting, { params, body: { value: 'Ember' } }, admin)).status).toBe(204)
  expect((await testPanel.send(getConfig, {})).answer.themes.active).toBe('Ember')
})
