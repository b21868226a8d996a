import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Description } from './description.tsx'

function shown(markup: string) {
  return render(
    <p>
      <Description markup={markup} />
    </p>,
  ).container
}

test('a link to the web stays a link', () => {
  shown("Read the <a href='https://example.com/eula'>EULA</a> first")

  expect(screen.getByRole('link', { name: 'EULA' }).getAttribute('href')).toBe('https://example.com/eula')
})

test.each(["<a href='javascript:alert(1)'>x</a>", "<a href='data:text/html,x'>x</a>", "<a href='/server'>x</a>"])(
  '%s is only text',
  (markup) => {
    expect(shown(markup).textContent).toBe('x')
    expect(screen.queryByRole('link')).toBeNull()
  },
)

test('nothing else of the markup reaches the page', () => {
  const container = shown('<b onclick=x>bold</b><img src=x onerror=alert(1)><script>alert(1)</script> &amp; text')

  expect(container.textContent).toBe('bold & text')
  expect(container.querySelector('b, img, script')).toBeNull()
})
