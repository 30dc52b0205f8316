# ptxlab on Node's slim image, without root. Mount the files to work on at /work.
FROM node:22-slim
ARG VERSION=0.1.0
RUN npm install --global --ignore-scripts --no-audit --no-fund "ptxlab@${VERSION}" && npm cache clean --force
WORKDIR /work
USER node
ENTRYPOINT ["ptxlab"]
CMD ["--help"]
