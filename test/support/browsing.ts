/** Opens URLs as a browser does, with cookies and redirects, and no scripts. */
export function createBrowsing(
  /** Where a URL really leads, as a proxy would lead it. */
  leads: (url: URL) => URL = url => url,
) {
  const jar = new Map<string, Map<string, string>>();

  /** Goes on until a page comes; the trail holds every URL on the way. */
  async function open(url: string, form?: Record<string, string>) {
    const trail = [url];
    const cookies: string[] = [];
    let response = await step(url, form);
    for (let hops = 0; response.status >= 300 && response.status < 400 && hops < 20; hops++) {
      cookies.push(...response.headers.getSetCookie());
      trail.push(new URL(response.headers.get('location')!, trail.at(-1)).href);
      response = await step(trail.at(-1)!);
    }
    return { response, url: trail.at(-1)!, trail, cookies, html: await response.text() };
  }

  async function step(url: string, form?: Record<string, string>): Promise<Response> {
    const asked = new URL(url);
    const own = jar.get(asked.host) ?? new Map<string, string>();
    jar.set(asked.host, own);
    const response = await fetch(leads(asked), {
      redirect: 'manual',
      headers: { cookie: [...own].map(([name, value]) => `${name}=${value}`).join('; '), accept: 'text/html' },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '' || /max-age=0\b/i.test(cookie)) own.delete(name);
      else own.set(name, value);
    }
    return response;
  }

  return { open, cookiesOf: (host: string) => Object.fromEntries(jar.get(host) ?? []) };
}
