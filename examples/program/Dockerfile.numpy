# Python, NumPy, Sumac's package and a few pictures, for jobs that bring their sources along:
#   docker build -f examples/program/Dockerfile.numpy -t REGISTRY/program-numpy:1 --build-arg SUMAC=REGISTRY/sumac-worker:VERSION examples/program
# Sources of more than 700 KiB go in here instead (COPY . /program), and the job is submitted without --code.
ARG SUMAC=sumac-worker:latest
FROM ${SUMAC} AS sumac

FROM docker.io/library/python:3.12-slim-bookworm
RUN pip install --no-cache-dir numpy
COPY --from=sumac /usr/local/share/sumac/wheels/ /wheels/
RUN pip install --no-cache-dir --no-index /wheels/*.whl
COPY --from=sumac /usr/local/share/sumac/data/fashion-mnist-mini /data
ENV DATA=/data
USER 65532:65532
