/** The hosts whose hits a site counts: as they are named, and with `*.` all subdomains. */
export const allowedHostMatcher = (hosts: readonly string[]): ((host: string) => boolean) => {
  const [named, domains] = [
    new Set(hosts),
    new Set(hosts.flatMap(host => (host.startsWith('*.') ? host.slice(2) : []))),
  ];
  return host => {
    if (named.has(host)) return true;
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1))
      if (domains.has(host.slice(dot + 1))) return true;
    return false;
  };
};
