FROM node:24-bookworm AS build
WORKDIR /daybook
COPY . .
RUN npm ci && npm run build && npm prune --omit=dev

FROM node:24-bookworm-slim
WORKDIR /daybook
COPY --from=build /daybook/package.json /daybook/schema.sql ./
COPY --from=build /daybook/node_modules node_modules
COPY --from=build /daybook/dist dist
RUN mkdir /data && chown node:node /data
USER node
# The networks that Docker makes, from which requests of a proxy come. Not all private addresses: clients
# of an intranet could choose theirs.
ENV DAYBOOK_DATA=/data HOST=0.0.0.0 TRUST_PROXY=loopback,172.16.0.0/12
# glibc then gives back what large questions leave (docs/operations.md, "Limits").
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=262144
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK CMD node -e "fetch('http://127.0.0.1:8080/health').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"
CMD ["node", "dist/daybook.js", "serve"]
