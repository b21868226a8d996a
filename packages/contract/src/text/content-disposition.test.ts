import { expect, test } from 'vitest'
import { contentDisposition } from './content-disposition.ts'

test.for([
  ['world.zip', 'world.zip', 'world.zip'],
  ['a b.txt', 'a b.txt', 'a%20b.txt'],
  ['x"; filename="evil.html', 'x_; filename=_evil.html', 'x%22%3B%20filename%3D%22evil.html'],
  ['a\r\nSet-Cookie: a=b', 'a__Set-Cookie: a=b', 'a__Set-Cookie%3A%20a%3Db'],
  ['..\\..\\a', '.._.._a', '.._.._a'],
  ['\u202egpj.exe', '_gpj.exe', '_gpj.exe'],
  ['größe.txt', 'gr__e.txt', 'gr%C3%B6%C3%9Fe.txt'],
  ['日本.txt', '__.txt', '%E6%97%A5%E6%9C%AC.txt'],
  ['100%.txt', '100_.txt', '100%25.txt'],
  ["it's (1)*", "it's (1)*", 'it%27s%20%281%29%2a'],
  ['\ud800', '_', '%EF%BF%BD'],
  ['', 'file', 'file'],
])('a download of %j keeps its name without adding other header parameters', ([name = '', plain, exact]) => {
  expect(contentDisposition(name)).toBe(`attachment; filename="${plain}"; filename*=UTF-8''${exact}`)
})
