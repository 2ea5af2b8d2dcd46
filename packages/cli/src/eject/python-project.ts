import type { LanguageOptions, LanguageParts } from './node-project.ts';

/** Files of the top of a project for Python. */
export function planPythonProject(options: LanguageOptions): LanguageParts {
  const { version, base = `python:${version}-slim`, locked } = options;
  const requirements = locked.kind === 'pip' ? locked.requirements : undefined;
  const install =
    requirements === undefined ? [] : ['pip install --require-hashes -r requirements.txt'];
  return {
    files: {
      ...(requirements === undefined ? {} : { 'requirements.txt': requirements }),
      'server.py': server,
      Dockerfile: dockerfile(base, install.length > 0),
      '.dockerignore': '.git\n.venv\n**/__pycache__\nk8s\nDockerfile\nREADME.md\n',
      '.gitignore': '/.venv\n__pycache__\n',
    },
    commands: [
      `python${version} -m venv .venv && . .venv/bin/activate`,
      ...install,
      'python -X utf8 server.py',
    ],
  };
}

function dockerfile(base: string, installs: boolean): string {
  const install = `COPY requirements.txt ./
RUN pip install --no-cache-dir --require-hashes -r requirements.txt
`;
  return `FROM ${base}
WORKDIR /app
${installs ? install : ''}COPY . .
USER 1000:1000
EXPOSE 8080
CMD ["python", "-X", "utf8", "server.py"]
`;
}

const server = `"""Serves the function of this project: python server.py [port] [host]"""

import json
import os
import socket
import sys

here = os.path.dirname(os.path.abspath(__file__))
# Only for this import: the function does not see the Runner.
sys.path.insert(0, os.path.join(here, "runner"))
from fnlet_runner.standalone import serve  # noqa: E402

sys.path.pop(0)
sys.path.remove(here)

port = int(sys.argv[1]) if len(sys.argv) > 1 else 8080
host = sys.argv[2] if len(sys.argv) > 2 else "0.0.0.0"
with open(os.path.join(here, "function.json"), encoding="utf-8") as file:
    settings = json.load(file)
settings["instance"] = socket.gethostname()
settings["sourceDirectory"] = os.path.join(here, "function")
settings["env"] = dict(os.environ)
serve(settings, host, port)
`;
