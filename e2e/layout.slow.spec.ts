import { sessionCookie } from '@innkeeper/contract/accounts/auth'
import type { Locator, Page } from '@playwright/test'
import { Api } from './testing/api.ts'
import { expect, firstAdmin, test } from './testing/fixtures.ts'
import { controlsIn, longAddress, longName, readBox, readControlsOutside, sidewaysScroll } from './testing/layout.ts'

const widths = [320, 390, 768, 1024, 1152, 1280, 1440, 1920]

/** Creates a server with a long address through the API, and starts it. */
async function createServer(page: Page, name: string): Promise<string> {
  const cookie = (await page.context().cookies()).find((one) => one.name === sessionCookie)
  const headers = { authorization: `Bearer ${decodeURIComponent(cookie?.value ?? '')}` }
  const at = (path: string) => new URL(path, page.url()).href
  const data = {
    name,
    type: 'generic',
    environment: { type: 'standard' },
    run: { command: 'sleep 600', stopCode: 15 },
    data: { ip: { value: longAddress }, port: { value: '25565', type: 'integer' } },
  }
  const created = await page.request.post(at('/api/servers'), { headers, data })
  const { id } = (await created.json()) as { id: string }
  await page.request.post(at(`/proxy/daemon/server/${id}/start?wait=true`), { headers })
  return id
}

const windows = [
  { width: 1280, height: 720 },
  { width: 1366, height: 768 },
  { width: 1440, height: 900 },
  { width: 1920, height: 1080 },
]

test('the button to the next step of Add server is in the window at every desktop size', async ({
  adminPage: page,
  installation,
}) => {
  await page.goto(`${installation.url}/addserver`)
  await expect(page.getByRole('searchbox')).toBeFocused()
  await page.getByRole('radio', { name: /OpenTTD/ }).click()
  await expect(page.getByRole('heading', { name: 'OpenTTD' })).toBeVisible()

  for (const size of windows) {
    await page.setViewportSize(size)
    // The notice of a restored draft takes space above the cards.
    for (const _ of ['selected', 'restored']) {
      await expect(page.getByRole('button', { name: 'Continue' })).toBeEnabled()
      await expect(page.getByRole('button', { name: 'Continue' })).toBeInViewport({ ratio: 1 })
      await page.reload()
    }
  }
  await page.setViewportSize({ width: 1280, height: 720 })
  for (const _ of ['target', 'settings']) {
    await page.getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByRole('button', { name: 'Back' })).toBeInViewport({ ratio: 1 })
    await expect(page.getByRole('button', { name: 'Continue' })).toBeInViewport({ ratio: 1 })
  }
})

test.describe('with forced colors', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce', forcedColors: 'active' } })

  test('switches, disabled buttons and what is selected can be told apart', async ({
    adminPage: page,
    installation,
  }) => {
    const id = await createServer(page, 'Oak')
    const readStyle = (locator: Locator) =>
      locator.evaluate((element) => {
        const { backgroundColor, color } = getComputedStyle(element)
        return { backgroundColor, color }
      })

    await page.goto(`${installation.url}/server/${id}?tab=admin`)
    const [first, second] = [page.getByRole('switch').nth(0), page.getByRole('switch').nth(1)]
    await first.press('Space')
    await expect(first).toBeChecked()
    await expect(first).toBeEnabled()
    await expect(second).not.toBeChecked()
    const tracks = await page.locator('.mantine-Switch-track').evaluateAll((all) =>
      all.slice(0, 2).map((element) => {
        const { backgroundColor, borderTopStyle } = getComputedStyle(element)
        const thumb = element.querySelector('.mantine-Switch-thumb') ?? element
        return { backgroundColor, borderTopStyle, thumb: getComputedStyle(thumb).backgroundColor }
      }),
    )
    expect(tracks.map(({ borderTopStyle }) => borderTopStyle)).toEqual(['solid', 'solid'])
    expect(tracks[0]?.backgroundColor).not.toBe(tracks[1]?.backgroundColor)
    for (const { backgroundColor, thumb } of tracks) expect(thumb).not.toBe(backgroundColor)

    const tab = (name: string) => readStyle(page.getByRole('tab', { name }))
    expect((await tab('Admin')).backgroundColor).not.toBe((await tab('Files')).backgroundColor)
    const link = (name: RegExp) => readStyle(page.getByRole('navigation').getByRole('link', { name }).last())
    await page.goto(`${installation.url}/node`)
    expect((await link(/^Nodes/)).backgroundColor).not.toBe((await link(/^Templates/)).backgroundColor)

    await page.goto(`${installation.url}/server/${id}`)
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Start', exact: true })).toBeEnabled()
    const button = (name: string) => readStyle(page.getByRole('button', { name, exact: true }))
    expect((await button('Stop')).color).not.toBe((await button('Start')).color)
  })

  test('the focus of fields, selected files and cards, and checked boxes can be told apart', async ({
    adminPage: page,
    installation,
  }) => {
    const id = await createServer(page, 'Oak')
    for (const name of ['first', 'second'])
      await callApi(page, 'PUT', `/proxy/daemon/server/${id}/file/${name}?folder=true`)
    const readStyle = (locator: Locator) =>
      locator.evaluate((element) => {
        const { backgroundColor, outlineStyle, outlineWidth } = getComputedStyle(element)
        return { backgroundColor, outline: outlineStyle === 'none' ? '0px' : outlineWidth }
      })
    const readOutline = async (locator: Locator) => (await readStyle(locator)).outline

    await page.goto(`${installation.url}/server/${id}?tab=files`)
    await expect(page.getByRole('checkbox', { name: 'Select first' })).toBeVisible({ timeout: 60_000 })
    await page.getByRole('checkbox', { name: 'Select first' }).check()
    const row = (name: string) => page.getByRole('row', { name })
    expect(await readOutline(row('first'))).not.toBe(await readOutline(row('second')))

    await page.goto(`${installation.url}/server/${id}?tab=settings`)
    const fields = page.getByRole('main').getByRole('textbox')
    await fields.nth(1).focus()
    expect(await readOutline(fields.nth(1))).not.toBe(await readOutline(fields.nth(0)))

    await page.goto(`${installation.url}/server/${id}?tab=tasks`)
    await page.getByRole('button', { name: 'Add task' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('checkbox', { name: 'When the server has started' }).check()
    const marks = dialog.locator('.mantine-Checkbox-icon')
    await expect(marks.nth(0)).toHaveCSS('opacity', '1')
    await expect(marks.nth(1)).toHaveCSS('opacity', '0')

    await page.goto(`${installation.url}/addserver`)
    await page.getByRole('radio', { name: /OpenTTD/ }).click()
    const card = (name: RegExp) => readStyle(page.getByRole('radio', { name }))
    expect((await card(/OpenTTD/)).backgroundColor).not.toBe((await card(/BZFlag/)).backgroundColor)
    const steps = page.getByRole('navigation', { name: 'Progress' }).getByRole('button')
    expect((await readStyle(steps.nth(0))).backgroundColor).not.toBe((await readStyle(steps.nth(1))).backgroundColor)
  })
})

test('all server actions are reachable at every width, with long names and addresses', async ({
  adminPage: page,
  installation,
}) => {
  await createServer(page, longName)
  await createServer(page, 'Short')

  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${installation.url}/server`)
    await expect(page.getByText('Online').filter({ visible: true }).first()).toBeVisible()
    await expect(page.getByRole('button', { name: `More actions for ${longName}` })).toBeVisible()
    if (width >= 768) await expect(page.getByRole('button', { name: `Stop ${longName}` })).toBeVisible()

    const card = page
      .locator('main .mantine-Paper-root')
      .filter({ has: page.getByRole('button', { name: `More actions for ${longName}` }) })
    expect(await readControlsOutside(page, card), `controls outside of the list at ${width} px`).toEqual([])
    expect(await sidewaysScroll(page), `sideways scroll at ${width} px`).toBe(0)
  }
})

test.describe('on a touch screen', () => {
  test.use({ hasTouch: true })

  test('the list has space for the names of servers, and the page of a server for all its tabs', async ({
    adminPage: page,
    installation,
  }) => {
    const id = await createServer(page, longName)

    for (const width of [768, 1024]) {
      await page.setViewportSize({ width, height: 800 })
      await page.goto(`${installation.url}/server`)
      const { left, right } = await readBox(page.getByRole('table').getByRole('link', { name: longName }))
      expect(right - left, `width of the name at ${width} px`).toBeGreaterThan(150)

      await page.goto(`${installation.url}/server/${id}`)
      const tabs = page.getByRole('tablist')
      await expect(tabs.getByRole('tab', { name: 'Admin' })).toBeVisible()
      expect(await readControlsOutside(page, tabs), `tabs outside at ${width} px`).toEqual([])
    }
  })

  test('on a small phone, the menu of a server fits, actions on many servers do not overlap, and a query fits beside the scope of the palette', async ({
    adminPage: page,
    installation,
  }) => {
    const id = await createServer(page, longName)
    await page.setViewportSize({ width: 320, height: 640 })
    await page.goto(`${installation.url}/server`)
    await page.getByRole('button', { name: 'Select servers' }).click()
    await page.getByRole('checkbox', { name: `Select ${longName}` }).check()

    await page.getByRole('button', { name: `More actions for ${longName}` }).click()
    expect((await readBox(page.getByRole('menu'))).bottom).toBeLessThanOrEqual(640)
    await page.getByRole('menuitem', { name: 'Pin' }).scrollIntoViewIfNeeded()
    await expect(page.getByRole('menuitem', { name: 'Pin' })).toBeInViewport()
    await page.keyboard.press('Escape')

    const bar = page.getByRole('toolbar', { name: '1 server selected' })
    await expect(bar.getByRole('button', { name: 'More actions' })).toBeVisible()
    const buttons = await controlsIn(bar)
    const { top, bottom } = await readBox(bar)
    expect(buttons.map(({ name }) => name)).toEqual(['Clear selection', 'Start', 'Restart', 'Stop', 'More actions'])
    expect(buttons.filter(({ box }) => box.bottom - box.top < 44)).toEqual([])
    expect(bottom - top).toBeLessThan(130)
    await bar.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Kill' }).click()
    await expect(page.getByRole('dialog')).toContainText(longName)

    await page.goto(`${installation.url}/server/${id}`)
    await expect(page.getByText('Online').filter({ visible: true }).first()).toBeVisible()
    await page.keyboard.press('Control+k')
    const query = await readBox(page.getByRole('combobox', { name: 'Search or run a command' }))
    expect(query.right - query.left).toBeGreaterThan(100)
  })
})

test('values in the server list are aligned with their headings, also after they load', async ({
  adminPage: page,
  installation,
}) => {
  await createServer(page, longName)
  await page.setViewportSize({ width: 1440, height: 800 })
  /** The right edges of the visible text in a column: heading and first value. */
  const edges = (heading: string) =>
    page.evaluate((name) => {
      const endOfText = (cell: Element | null | undefined) => {
        if (!cell) return Number.NaN
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT)
        const ends: number[] = []
        while (texts.nextNode()) {
          if (texts.currentNode.parentElement?.closest('.mantine-VisuallyHidden-root')) continue
          const range = document.createRange()
          range.selectNode(texts.currentNode)
          ends.push(...[...range.getClientRects()].filter(({ width }) => width > 0).map(({ right }) => right))
        }
        return Math.max(...ends)
      }
      const headings = [...document.querySelectorAll('thead th')]
      const column = headings.findIndex((cell) => cell.textContent?.includes(name))
      return [endOfText(headings[column]), endOfText(document.querySelector(`tbody tr > :nth-child(${column + 1})`))]
    }, heading)
  await page.goto(`${installation.url}/server`)
  await expect(page.getByRole('columnheader', { name: 'Memory' })).toBeVisible()
  const before = await edges('Memory')

  await expect(page.getByRole('row', { name: longName })).toContainText('MiB')
  for (const heading of ['CPU', 'Memory']) {
    const [top = 0, below = 0] = await edges(heading)
    expect(Math.abs(top - below), `${heading}: heading ends at ${top}, its value at ${below}`).toBeLessThanOrEqual(2)
  }
  expect(Math.abs(((await edges('Memory'))[0] ?? 0) - (before[0] ?? 0))).toBeLessThanOrEqual(1)
})

test('the list has space for names of servers at every desktop size', async ({ adminPage: page, installation }) => {
  await createServer(page, longName)
  await page.goto(`${installation.url}/server`)
  for (const width of [1024, 1280, 1440, 1920]) {
    await page.setViewportSize({ width, height: 800 })
    const name = page.getByRole('row', { name: longName }).getByRole('link', { name: longName, exact: true })
    await expect.poll(async () => (await name.boundingBox())?.width ?? 0, `at ${width} px`).toBeGreaterThan(120)
  }
})

/** Asks the API as the administrator who is signed in. */
async function callApi(page: Page, method: 'POST' | 'PUT', path: string, data?: unknown): Promise<void> {
  const cookie = (await page.context().cookies()).find((one) => one.name === sessionCookie)
  const headers = { authorization: `Bearer ${decodeURIComponent(cookie?.value ?? '')}` }
  const response = await page.request.fetch(new URL(path, page.url()).href, { method, headers, data })
  expect(response.ok(), await response.text()).toBe(true)
}

test('the first selected server moves no row, and the actions are in one line', async ({
  adminPage: page,
  installation,
}) => {
  for (const name of ['First', 'Second']) await createServer(page, name)

  for (const [width, locale] of [
    [768, 'en_XA'],
    [1024, 'en_US'],
    [1024, 'de_DE'],
    [1440, 'en_XA'],
  ] as const) {
    await page.evaluate((code) => localStorage.setItem('innkeeper.locale', code), locale)
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${installation.url}/server`)
    const second = page.getByRole('link', { name: 'Second', exact: true })
    await expect(second).toBeVisible()
    await page.waitForLoadState('networkidle')
    const before = await readBox(second)

    await page.locator('tbody input[type="checkbox"]').first().check()
    const bar = page.locator('main [role="toolbar"]')
    await expect(bar).toBeVisible()

    const at = `at ${width} px in ${locale}`
    expect((await readBox(second)).top, `top of the second row ${at}`).toBe(before.top)
    const firstRow = await readBox(page.locator('tbody tr').first())
    expect((await readBox(bar)).bottom, `end of the bar ${at}`).toBeLessThanOrEqual(firstRow.top + 1)
    expect(await readControlsOutside(page, bar), `actions outside ${at}`).toEqual([])
  }
})

test('a task with a name of 72 letters keeps its actions in view', async ({ adminPage: page, installation }) => {
  const id = await createServer(page, longName)
  const name = 'A very long task name that says in detail what it does at night at three'
  const task = { cronSchedule: '0 4 * * *', operations: [{ type: 'command', commands: ['true'] }] }
  for (const one of [name, 'x'.repeat(72)])
    await callApi(page, 'POST', `/proxy/daemon/server/${id}/tasks`, { ...task, name: one })

  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${installation.url}/server/${id}?tab=tasks`)
    await expect(page.getByRole('button', { name }).filter({ visible: true }).first()).toBeVisible()

    const table = page.getByRole('table', { name: 'Tasks' })
    expect(await readControlsOutside(page, table), `controls outside at ${width} px`).toEqual([])
    expect(await sidewaysScroll(page), `sideways scroll at ${width} px`).toBe(0)
    if (width < 1024) continue
    const row = await readBox(page.getByRole('row', { name }))
    expect(row.bottom - row.top, `height of a row at ${width} px`).toBeLessThan(100)
  }
})

const longWord = 'WWWWWWWWWWMMMMMMMMMMWWWWWWWWWWMMMMMMMMM7'

test('a word of 40 letters stays inside of dialogs, which keep their buttons', async ({
  adminPage: page,
  installation,
}) => {
  const id = await createServer(page, longWord)
  await callApi(page, 'POST', `/proxy/daemon/server/${id}/tasks`, { name: longWord, operations: [] })
  await callApi(page, 'PUT', `/proxy/daemon/server/${id}/file/${longWord}?folder=true`)
  const email = `${longWord.toLowerCase()}@example.net`
  await callApi(page, 'POST', '/api/users', { username: longWord, email, password: 'seven lamps in a row' })
  const button = (name: string | RegExp) => page.getByRole('button', { name }).filter({ visible: true }).first()
  const inMenu = (item: string) => async () => {
    await page
      .getByRole('button', { name: `More actions for ${longWord}` })
      .filter({ visible: true })
      .last()
      .click()
    // On a phone the menu of a file is a dialog.
    const entry = page.getByRole('dialog').getByRole('button', { name: item, exact: true })
    await page.getByRole('menuitem', { name: item, exact: true }).or(entry).click()
  }
  const dialogs: readonly (readonly [string, string, () => Promise<void>])[] = [
    ['delete the server', `/server/${id}?tab=admin`, () => page.getByRole('button', { name: 'Delete' }).last().click()],
    ['clone the server', `/server/${id}?tab=admin`, () => button('Clone').click()],
    ['install', `/server?q=${longWord}`, inMenu('Install')],
    ['kill', `/server?q=${longWord}`, inMenu('Kill')],
    ['edit tags', `/server?q=${longWord}`, inMenu('Edit tags')],
    ['delete a folder', `/server/${id}?tab=files`, inMenu('Delete')],
    ['rename a folder', `/server/${id}?tab=files`, inMenu('Rename')],
    [
      'delete a user',
      '/user',
      async () => {
        await page.getByRole('link', { name: new RegExp(longWord) }).click()
        await button(/^Delete$/).click()
      },
    ],
  ]

  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    for (const [name, path, open] of dialogs) {
      await page.goto(`${installation.url}${path}`)
      await page.waitForLoadState('networkidle')
      await open()
      const dialog = page.locator('[role="dialog"], [role="alertdialog"]').filter({ visible: true }).last()
      await expect(dialog, `${name} at ${width} px`).toBeVisible()

      expect(await readControlsOutside(page, dialog), `${name} at ${width} px: controls outside`).toEqual([])
      const beyond = await dialog.evaluate((element) => element.scrollWidth - element.clientWidth)
      expect(beyond, `${name} at ${width} px: text beyond the dialog`).toBeLessThanOrEqual(1)
      await page.keyboard.press('Escape')
    }
  }
})

test('many users of a server are told apart', async ({ adminPage: page, installation }) => {
  const id = await createServer(page, longName)
  const names = Array.from({ length: 12 }, (_, at) => `a_very_long_username_that_goes_on_${at}`)
  for (const username of names) {
    const email = `very.long.local.part.of.${username}@example.net`
    await callApi(page, 'POST', '/api/users', { username, email, password: 'seven lamps in a row' })
    await callApi(page, 'PUT', `/api/servers/${id}/user/${encodeURIComponent(email)}`, { viewServerConsole: true })
  }
  await page.setViewportSize({ width: 1440, height: 900 })

  await page.goto(`${installation.url}/server/${id}?tab=users`)
  const header = page.getByRole('rowheader').filter({ hasText: names[7] ?? '' })
  await header.scrollIntoViewIfNeeded()

  const cut = await header.evaluate((cell) =>
    [cell, ...cell.querySelectorAll('*')]
      .filter((part) => part.scrollWidth > part.clientWidth + 1 && getComputedStyle(part).display !== 'inline')
      .map((part) => part.textContent),
  )
  expect(cut).toEqual([])
  await page.getByRole('searchbox', { name: 'Search by username or email' }).fill('goes_on_7')
  await expect(page.getByRole('rowheader')).toHaveCount(1)
})

test('all permissions are visible and clickable while a user is added', async ({ adminPage: page, installation }) => {
  const id = await createServer(page, longName)
  for (const width of [1024, 1280, 1366, 1440, 1920]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${installation.url}/server/${id}?tab=users`)
    await page.getByRole('button', { name: 'Add user' }).click()
    const switches = page.getByRole('checkbox').or(page.getByRole('switch'))
    await expect(switches.first()).toBeVisible()

    const hidden = await switches.evaluateAll((all) =>
      all
        .filter((one) => {
          one.scrollIntoView({ block: 'center', inline: 'nearest' })
          const { left, right, top, bottom } = one.getBoundingClientRect()
          const topElement = document.elementFromPoint((left + right) / 2, (top + bottom) / 2)
          const label = one.closest('td, label, li')
          return !topElement || !(label ?? one).contains(topElement)
        })
        .map((one) => one.ariaLabel ?? one.getAttribute('name') ?? ''),
    )
    expect(await switches.count()).toBeGreaterThanOrEqual(11)
    expect(hidden, `hidden switches at ${width} px`).toEqual([])
    const grid = page.getByRole('grid')
    if (width >= 1440) await expect(grid).toBeVisible()
    if (!(await grid.isVisible())) {
      const { left, right } = await readBox(page.getByRole('dialog'))
      expect(Math.round((left + right) / 2), `middle of the dialog at ${width} px`).toBe(width / 2)
      continue
    }
    const beyond = await grid.evaluate(({ parentElement: frame }) =>
      frame ? frame.scrollWidth - frame.clientWidth : -1,
    )
    expect(beyond, `sideways scroll of the grid at ${width} px`).toBe(0)
  }
})

test('all console tools are reachable on narrow phones, also of a user who may not send commands', async ({
  adminPage: page,
  installation,
  browser,
}) => {
  const id = await createServer(page, longName)
  const admin = await Api.signIn(installation.url, firstAdmin)
  const guest = { username: 'guest', email: 'guest@example.net', password: 'seven lamps in a row' }
  const { id: user } = (await admin.post('/api/users', guest)) as { id: number }
  await admin.post(`/api/users/${user}/email/confirm`)
  await admin.put(`/api/servers/${id}/user/${guest.email}`, { viewServers: true, viewServerConsole: true })
  const context = await browser.newContext()
  await (await Api.signIn(installation.url, guest)).signInTo(context)
  const viewer = await context.newPage()

  for (const console of [page, viewer]) {
    await console.setViewportSize({ width: 320, height: 640 })
    await console.goto(`${installation.url}/server/${id}`)
    for (const width of [320, 360, 390]) {
      await console.setViewportSize({ width, height: 640 })
      await expect(console.getByRole('button', { name: 'More console options' })).toBeVisible()
      const tools = console.getByRole('toolbar', { name: 'Console tools' })
      expect(await readControlsOutside(console, tools), `outside at ${width} px`).toEqual([])
      expect(await sidewaysScroll(console), `sideways scroll at ${width} px`).toBe(0)
    }
  }
  await expect(viewer.getByRole('button', { name: 'View only' })).toBeVisible()
  await context.close()
})

test('a toast does not cover controls of a server', async ({ adminPage: page, installation }) => {
  const id = await createServer(page, longName)

  for (const width of [390, 1024, 1440]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`${installation.url}/server/${id}`)
    await expect(page.getByText('Online').filter({ visible: true }).first()).toBeVisible()
    if (width === 390) await page.getByRole('button', { name: 'More console options' }).click()
    await page.getByRole(width === 390 ? 'menuitem' : 'button', { name: 'Copy selection or visible lines' }).click()
    const toast = page.getByRole('status').filter({ hasText: 'Copied' })
    await expect(toast).toBeVisible()

    const over = await readBox(toast)
    const parts = await page.locator('[data-keep-clear]').all()
    const controls = (await Promise.all(parts.map(controlsIn))).flat()
    const covered = controls.filter(
      ({ box }) => box.left < over.right && box.right > over.left && box.top < over.bottom && box.bottom > over.top,
    )
    expect(controls.length).toBeGreaterThan(0)
    expect(
      covered.map(({ name }) => name),
      `controls under the toast at ${width} px`,
    ).toEqual([])
  }
})

test('the loading indicator of a button is centered, also with reduced motion', async ({ adminPage: page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/auth/login', async (route) => {
    await released
    await route.abort()
  })
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Email').fill('someone@example.net')
  await page.getByLabel('Password', { exact: true }).fill('something')
  const button = page.getByRole('button', { name: 'Sign in', exact: true })
  await button.click()

  const loader = button.locator('.mantine-Button-loader')
  await expect(loader).toBeVisible()
  const [inner, outer] = [await readBox(loader), await readBox(button)]
  const offset = [
    inner.left + inner.right - outer.left - outer.right,
    inner.top + inner.bottom - outer.top - outer.bottom,
  ]
  release()

  expect(offset.map((pixels) => Math.abs(pixels / 2) < 3)).toEqual([true, true])
})
