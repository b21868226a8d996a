import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Description } from './description.tsx'

function renderDescription(markup: string) {
  return render(
    <p>
      <Description markup={markup} />
    </p>,
  ).container
}

test.each([
  "Read the <a href='https://example.com/eula'>EULA</a> first",
  'Read the [EULA](https://example.com/eula) first',
])('a link to the web stays a link: %s', (markup) => {
  expect(renderDescription(markup).textContent).toBe('Read the EULA first')
  expect(screen.getByRole('link', { name: 'EULA' }).getAttribute('href')).toBe('https://example.com/eula')
})

test.each([
  "<a href='javascript:alert(1)'>x</a>",
  "<a href='data:text/html,x'>x</a>",
  "<a href='/server'>x</a>",
  '[x](javascript:alert)',
  '[x](//example.com)',
])('%s is only text', (markup) => {
  expect(renderDescription(markup).textContent).toBe('x')
  expect(screen.queryByRole('link')).toBeNull()
})

test.each([
  ['one <b>two</b> <i>three</i> <code>-Xmx</code>', '<strong>two</strong>', '<em>three</em>', '>-Xmx</code>'],
  ['one **two** *three* `-Xmx`', '<strong>two</strong>', '<em>three</em>', '>-Xmx</code>'],
  ['a<br/>b', 'a<br>b'],
  ['<p>a</p><ul><li>b</li><li>c</li></ul>', 'a<br>• b<br>• c'],
  ['a\n\nb', 'a<br><br>b'],
])('renders simple markup: %s', (markup, ...expected) => {
  const { innerHTML } = renderDescription(markup)

  for (const one of expected) expect(innerHTML).toContain(one)
})

test.each(['2*3*4 is 24', 'game_max_players', '* and _ and ` alone', 'a ** b', '[no] (link)'])(
  'keeps text without markup: %s',
  (text) => {
    expect(renderDescription(text).innerHTML).toBe(`<p>${text}</p>`)
  },
)

test('no other markup is inserted into the page', () => {
  const container = renderDescription(
    '<b onclick=x>bold</b><img src=x onerror=alert(1)><script>alert(1)</script> &amp; text',
  )

  expect(container.innerHTML).toBe('<p><strong>bold</strong> &amp; text</p>')
})
